import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { readFacts } from './stack/facts';

/** Sends a path and a body unchanged; `fetch` would normalise them. */
export function sendRaw(method: string, path: string, headers: Record<string, string>, body?: Buffer) {
  const { protocol, hostname, port, pathname } = new URL(readFacts().baseUrl);
  const stage = pathname === '/' ? '' : pathname;
  return new Promise<{ status: number | undefined; requestId: unknown; text: string }>((resolve, reject) => {
    const send = protocol === 'https:' ? secureRequest : request;
    const sent = send({ method, hostname, port, path: stage + path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const requestId = response.headers['x-request-id'];
        resolve({ status: response.statusCode, requestId, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
