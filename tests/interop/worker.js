// A worker that knows nothing but the proto files and the contract: registers, watches, verifies each checksum, applies full
// updates and deltas, acknowledges, reports. Ends with 0 when it was given at least one proxy and a report was accepted.
//
//   node worker.js HOST:PORT PROTO_FOLDER
'use strict';

const crypto = require('crypto');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const {checksum} = require('./checksum');

const [address, protos] = process.argv.slice(2);
const definition = loader.loadSync('controlplane/v1/controlplane.proto', {
  includeDirs: [protos], keepCase: true, longs: String, enums: Number, defaults: true, arrays: true, objects: true, oneofs: true,
});
const {WorkerControlPlane} = grpc.loadPackageDefinition(definition).controlplane.v1;
const client = new WorkerControlPlane(address, grpc.credentials.createInsecure());
const workerId = 'interop-' + crypto.randomBytes(4).toString('hex');

function call(method, request) {
  return new Promise((resolve, reject) => {
    const deadline = new Date(Date.now() + 10000);
    client[method](request, {deadline}, (error, reply) => (error ? reject(error) : resolve(reply)));
  });
}

function fail(message) {
  console.error('interop: ' + message);
  process.exit(1);
}

const CAPABILITY_DELTA = 1;
const ACTIVE = 3;
const held = {version: '0', routings: [], grants: new Map()};

function apply(update, epoch) {
  const snapshot = update.full || update.delta;
  if (snapshot.ownership_epoch !== epoch) fail(`epoch ${snapshot.ownership_epoch}, registered with ${epoch}`);
  if (update.full) {
    held.grants = new Map(snapshot.proxies.map((grant) => [grant.proxy_id, grant]));
    held.routings = snapshot.routings;
  } else {
    if (snapshot.base_version !== held.version) fail(`delta on ${snapshot.base_version}, but ${held.version} is held`);
    for (const id of snapshot.removed_proxy_ids) held.grants.delete(id);
    for (const grant of snapshot.upserted) held.grants.set(grant.proxy_id, grant);
    if (snapshot.routings) held.routings = snapshot.routings.routings;
  }
  held.version = snapshot.version;
  const expected = checksum(epoch, held.routings, [...held.grants.values()]);
  if (!expected.equals(snapshot.checksum)) fail(`checksum of version ${snapshot.version} does not fit`);
  return snapshot;
}

async function main() {
  const session = await call('RegisterWorker', {
    worker_id: workerId, instance_id: crypto.randomUUID(), supported_protocol_version: 1, capabilities: [CAPABILITY_DELTA],
    registration_id: crypto.randomUUID(), software_version: 'interop',
  });
  const identity = {worker_id: workerId, session_id: session.session_id, ownership_epoch: session.ownership_epoch};
  const stream = client.WatchSnapshots(identity);
  let reports = 0;
  for await (const update of stream) {
    if (update.drain) continue;
    const snapshot = apply(update, session.ownership_epoch);
    const ack = await call('AcknowledgeSnapshot', {
      ...identity, version: snapshot.version, checksum: snapshot.checksum, accepted: true,
    });
    if (ack.accepted_version !== snapshot.version) fail(`acknowledged ${snapshot.version}, answered ${ack.accepted_version}`);
    if (ack.session_state !== ACTIVE) fail(`session_state ${ack.session_state} after a positive acknowledgement`);
    const counters = [...held.grants.keys()].slice(0, 1).map((proxy_id) => ({proxy_id, active: 1, reserved: 0}));
    const report = await call('ReportRuntime', {
      ...identity, report_sequence: ++reports, snapshot_version: snapshot.version, counters,
    });
    if (report.accepted_sequence !== String(reports)) fail(`report ${reports}, answered ${report.accepted_sequence}`);
    console.log(`version ${snapshot.version} (${update.full ? 'full' : 'delta'}): ${held.grants.size} proxies, checksum fits`);
    if (held.grants.size > 0) break;
  }
  stream.cancel();
  client.close();
}

main().then(() => process.exit(0), (error) => fail(error.message));
