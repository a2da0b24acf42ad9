import { Duplex } from 'node:stream';
import type { Authorizer } from '../authorizer';

/** Enough for a message of 128 KB with its topic, or a CONNECT with such a will. */
const MAX_PACKET_BYTES = 136 * 1024;
/** Unsent bytes beyond which a client that does not read is disconnected. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Time to flush the last packets after the end. */
const FLUSH_TIMEOUT_MS = 2000;

/** The other end of a stream, and the authorizer of the domain configuration through which it came. */
export interface Peer {
  readonly authorizer: Authorizer | undefined;
  /** Server name indication of the TLS handshake; a client that connects to an IP address sends none. */
  readonly serverName: string | undefined;
  readonly ipAddress: string;
  /** Of the WebSocket handshake; undefined for a client over TLS alone. */
  readonly http?: { readonly headers: Readonly<Record<string, string>>; readonly queryString: string } | undefined;
}

/**
 * Byte stream between a client and the broker, bounded both ways: an oversized packet, or a client that does not read, ends
 * the connection. Writes never wait, so that a slow client does not delay others.
 */
export class MqttStream extends Duplex {
  /** Whether the client sent DISCONNECT. */
  receivedDisconnect = false;
  /**
   * What came after an UNSUBSCRIBE that is not acknowledged yet. aedes processes packets of one read at once, so that an
   * UNSUBSCRIBE would take back the SUBSCRIBE that follows it.
   */
  private held: PacketPart[] | undefined;
  private readonly packetsOut = createPacketParser(Infinity);

  /** @param socket of TLS, or of the binary frames of a WebSocket */
  constructor(
    readonly socket: Duplex,
    readonly peer: Peer,
  ) {
    super({ allowHalfOpen: false, writableHighWaterMark: 2 * MAX_UNREAD_BYTES });
    const packetsIn = createPacketParser(MAX_PACKET_BYTES);
    socket.on('data', (bytes: Buffer) => {
      const parts = packetsIn(bytes);
      if (!parts) {
        this.destroy(new Error('not MQTT, or packet too large'));
        return;
      }
      if (parts.some(({ type }) => type === DISCONNECT)) this.receivedDisconnect = true;
      this.passOn(parts);
    });
    socket.once('end', () => this.push(null));
    socket.once('error', (error: Error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    if (!this.held) this.socket.resume();
  }

  /** Passes packets on to the broker, up to an UNSUBSCRIBE; the rest waits for its UNSUBACK. */
  private passOn(parts: readonly PacketPart[]): void {
    for (const part of parts) {
      if (this.held) {
        this.held.push(part);
        continue;
      }
      if (part.type === UNSUBSCRIBE && part.ends) this.held = [];
      if (!this.push(part.bytes) || this.held) this.socket.pause();
    }
  }

  private release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    this.passOn(held);
    this._read();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.send(bytes, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  private send(bytes: Buffer, done: (error?: Error) => void): void {
    this.socket.write(bytes);
    if (this.packetsOut(bytes)?.some(({ type, ends }) => type === UNSUBACK && ends)) this.release();
    if (this.socket.writableLength <= MAX_UNREAD_BYTES) {
      done();
      return;
    }
    this.socket.destroy();
    done(new Error('the client does not read'));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { socket } = this;
    socket.removeAllListeners('data');
    if (!socket.destroyed) {
      socket.end(() => socket.destroy());
      setTimeout(() => socket.destroy(), FLUSH_TIMEOUT_MS).unref();
    }
    done(error);
  }
}

/** Packet types (MQTT 3.1.1, table 2.1). */
const UNSUBSCRIBE = 10;
const UNSUBACK = 11;
const DISCONNECT = 14;

/** Bytes of one packet: all of it, or what has come. */
interface PacketPart {
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
