import type { Duplex } from 'node:stream';

/**
 * Calls `onTooLong` once when a WebSocket frame that comes in over `source` says that its payload is longer than
 * `limitBytes` (RFC 6455, section 5.2), before whoever else listens gets to see the frame. `ws` bounds messages only.
 */
export function watchFrames(source: Duplex, limitBytes: number, onTooLong: () => void): void {
  const header = Buffer.alloc(14);
  let known = 0;
  let payloadLeft = 0;

  const watch = (chunk: Buffer): void => {
    let at = 0;
    while (at < chunk.length) {
      if (payloadLeft > 0) {
        const step = Math.min(payloadLeft, chunk.length - at);
        payloadLeft -= step;
        at += step;
        continue;
      }
      header[known++] = chunk[at++] ?? 0;
      if (known < 2 || known < headerLength(header)) continue;
      known = 0;
      payloadLeft = payloadLength(header);
      if (payloadLeft <= limitBytes) continue;
      source.removeListener('data', watch);
      onTooLong();
      return;
    }
  };
  source.prependListener('data', watch);
}

/** Two bytes, the extended length, the mask. */
function headerLength(header: Buffer): number {
  const second = header.readUInt8(1);
  const short = second & 0x7f;
  return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + (second & 0x80 ? 4 : 0);
}

function payloadLength(header: Buffer): number {
  const short = header.readUInt8(1) & 0x7f;
  if (short < 126) return short;
  return short === 126 ? header.readUInt16BE(2) : Number(header.readBigUInt64BE(2));
}
