import type { Duplex } from 'node:stream';

/**
 * Calls `onTooLong` once when an incoming frame's header has a payload length over `limitBytes` (RFC 6455, section 5.2),
 * before other listeners of `source` receive the frame. `ws` limits messages only, not frames.
 */
export function watchFrames(source: Duplex, limitBytes: number, onTooLong: () => void): void {
  const header = Buffer.alloc(14);
  let headerBytes = 0;
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
      header[headerBytes++] = chunk[at++] ?? 0;
      if (headerBytes < 2 || headerBytes < headerLength(header)) continue;
      headerBytes = 0;
      payloadLeft = payloadLength(header);
      if (payloadLeft <= limitBytes) continue;
      source.removeListener('data', watch);
      onTooLong();
      return;
    }
  };
  source.prependListener('data', watch);
}

/** Two bytes, extended length, masking key. */
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
