import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy between a client and the channels of the stack on this machine, whose connections a test can break. */
export interface TcpProxy {
  readonly wsUrl: string;
  /** Number of connections so far. */
  readonly count: () => number;
  /** Breaks all connections, as a lost network would: without a close frame. */
  cut(): void;
  /** Passes nothing on any more, without closing. */
  freeze(): void;
  close(): Promise<void>;
}

export async function tcpProxyTo(wsUrl: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(wsUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let count = 0;
  const server = createServer((client) => {
    count++;
    const service = connect(Number(port), hostname);
    const pair = [client, service] as const;
    pairs.add(pair);
    client.pipe(service).pipe(client);
    for (const socket of pair)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          pairs.delete(pair);
          pair.forEach((each) => each.destroy());
        });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => pairs.forEach((pair) => pair.forEach((socket) => socket.resetAndDestroy()));
  return {
    wsUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    cut,
    freeze: () => pairs.forEach((pair) => pair.forEach((socket) => socket.unpipe())),
    async close() {
      cut();
      await new Promise((done) => server.close(done));
    },
  };
}
