import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { connect } from 'node:tls';
import { readFacts } from '../../api/stack/facts';

/** A proxy in front of the MQTT address of the stack under test: TLS upstream, plain TCP downstream. */
export interface MqttProxy {
  readonly mqttUrl: string;
  close(): Promise<void>;
}

/** @param swap a word and its replacement of the same length, applied to everything that the broker sends */
export async function startMqttProxy(swap?: readonly [word: string, other: string]): Promise<MqttProxy> {
  const { hostname, port } = new URL(readFacts().mqttUrl);
  const { caFile } = readFacts();
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect({ host: hostname, port: Number(port), ...(caFile && { ca: readFileSync(caFile) }) });
    for (const socket of [client, broker]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        for (const each of [client, broker]) each.destroy();
      });
    }
    client.pipe(broker).pipe(swapping(swap)).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    mqttUrl: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A message is small enough for one chunk; with the same length the packet stays valid. */
const swapping = (swap?: readonly [word: string, other: string]) =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, swap ? Buffer.from(chunk.toString('latin1').replaceAll(...swap), 'latin1') : chunk);
    },
  });
