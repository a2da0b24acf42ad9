/** Packet types (MQTT 3.1.1, table 2.1). */
export const UNSUBSCRIBE = 10;
export const UNSUBACK = 11;
export const DISCONNECT = 14;

/** Bytes of one packet: all of it, or what has come. */
export interface PacketPart {
  readonly type: number;
  readonly bytes: Buffer;
  /** Whether the packet ends with these bytes. */
  readonly ends: boolean;
}

/**
 * Parses the fixed headers of an MQTT byte stream without buffering packets (MQTT 3.1.1, section 2.2 "Fixed header").
 * @returns function that takes the next bytes and returns them in parts, one for each packet; or `undefined` for a packet longer
 *   than `maxBytes` or invalid MQTT; it must not be called again after that
 */
export function createPacketParser(maxBytes: number): (bytes: Buffer) => readonly PacketPart[] | undefined {
  let type = 0;
  let bodyLeft = 0;
  let length = 0;
  /** Bits of the length read so far; undefined when the length is known, or between packets. */
  let shift: number | undefined;

  return (bytes) => {
    const parts: PacketPart[] = [];
    let from = 0;
    let at = 0;
    const part = (ends: boolean) => {
      parts.push({ type, bytes: bytes.subarray(from, at), ends });
      from = at;
    };
    while (at < bytes.length) {
      if (bodyLeft > 0) {
        const taken = Math.min(bodyLeft, bytes.length - at);
        bodyLeft -= taken;
        at += taken;
        if (bodyLeft === 0) part(true);
        continue;
      }
      const byte = bytes.readUInt8(at++);
      if (shift === undefined) {
        type = byte >> 4;
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
        if (length === 0) part(true);
      }
    }
    if (from < at) part(false);
    return parts;
  };
}
