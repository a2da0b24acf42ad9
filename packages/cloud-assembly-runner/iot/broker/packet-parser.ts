/** Packet type of DISCONNECT (MQTT 3.1.1, table 2.1). */
export const DISCONNECT = 14;

/**
 * Parses the fixed headers of an MQTT byte stream without buffering packets (MQTT 3.1.1, section 2.2 "Fixed header").
 * @returns function that takes the next bytes and returns the types of the packets that begin in them, or `undefined` for
 *   a packet longer than `maxBytes` or invalid MQTT; it must not be called again after that
 */
export function createPacketParser(maxBytes: number): (bytes: Buffer) => readonly number[] | undefined {
  let bodyLeft = 0;
  let length = 0;
  /** Bits of the length read so far; undefined between packets. */
  let shift: number | undefined;

  return (bytes) => {
    const types: number[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (bodyLeft > 0) {
        const skipped = Math.min(bodyLeft, bytes.length - at);
        bodyLeft -= skipped;
        at += skipped;
        continue;
      }
      const byte = bytes.readUInt8(at++);
      if (shift === undefined) {
        types.push(byte >> 4);
        shift = length = 0;
        continue;
      }
      length += (byte & 0x7f) * 2 ** shift;
      shift += 7;
      const isLast = (byte & 0x80) === 0;
      if (length > maxBytes || (!isLast && shift === 28)) return undefined;
      if (isLast) {
        bodyLeft = length;
        shift = undefined;
      }
    }
    return types;
  };
}
