#!/usr/bin/env python3
"""Takes TLS off what comes to a port of 127.0.0.1 and hands the rest on to another: for the tests of the checker.

usage: tls_front.py CERTIFICATE KEY PORT BEHIND
"""

import asyncio
import ssl
import sys


async def hand_on(reader, writer):
    try:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    except (OSError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def main(certificate, key, port, behind):
    async def serve(reader, writer):
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", behind)
        except OSError:
            writer.close()
            return
        await asyncio.gather(hand_on(reader, inner_writer), hand_on(inner_reader, writer))

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=context)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
