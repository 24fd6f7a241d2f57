// The canonical checksum of a snapshot's content, protocol version 1, from its description alone (docs/checksum_vectors.md).
'use strict';

const crypto = require('crypto');

class Canonical {
  constructor() {
    this.parts = [];
  }
  u64(value) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    this.parts.push(bytes);
    return this;
  }
  i64(value) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    this.parts.push(bytes);
    return this;
  }
  presence(present) {
    this.parts.push(Buffer.from([present ? 1 : 0]));
    return this;
  }
  string(text) {
    const bytes = Buffer.from(text || '', 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    this.parts.push(length, bytes);
    return this;
  }
  bytes(bytes) {
    this.parts.push(bytes);
    return this;
  }
  list(items, put) {
    this.u64(items.length);
    for (const item of items) put(item);
    return this;
  }
  map(map) {
    const keys = Object.keys(map || {}).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return this.list(keys, (key) => this.string(key).string(map[key]));
  }
  finish() {
    return crypto.createHash('sha256').update(Buffer.concat(this.parts)).digest();
  }
}

// Whole microseconds since the epoch; an absent time is 0.
function micros(time) {
  return time ? BigInt(time.seconds) * 1000000n + BigInt(Math.trunc(time.nanos / 1000)) : 0n;
}

function hashOfRouting(routing) {
  const out = new Canonical();
  out.string(routing.routing_id);
  out.list(routing.host_patterns, (pattern) => out.string(pattern));
  out.list(routing.ports, (port) => out.u64(port));
  out.map(routing.proxy_labels);
  out.list(routing.zones, (zone) => out.string(zone));
  return out.finish();
}

function hashOfGrant(grant) {
  const out = new Canonical();
  out.string(grant.proxy_id);
  out.presence(Boolean(grant.endpoint));
  if (grant.endpoint) out.u64(grant.endpoint.scheme).string(grant.endpoint.host).u64(grant.endpoint.port);
  out.u64(grant.capacity).i64(micros(grant.expires_at)).i64(micros(grant.usable_until)).string(grant.secret_ref);
  out.u64(grant.state).map(grant.labels);
  out.list(grant.unhealthy_routing_ids, (id) => out.string(id));
  return out.finish();
}

function littleEndian(bytes) {
  return BigInt('0x' + Buffer.from(bytes).reverse().toString('hex'));
}

function checksum(epoch, routings, grants) {
  const out = new Canonical();
  out.bytes(Buffer.from('holdfast/snapshot/1', 'ascii')).u64(epoch).u64(routings.length);
  for (const routing of routings) out.bytes(hashOfRouting(routing));
  let sum = 0n;
  for (const grant of grants) sum = BigInt.asUintN(256, sum + littleEndian(hashOfGrant(grant)));
  const hex = sum.toString(16).padStart(64, '0');
  return out.u64(grants.length).bytes(Buffer.from(hex, 'hex').reverse()).finish();
}

module.exports = {checksum};
