import { Duplex } from 'node:stream';
import type { Authorizer } from '../authorization/authorizer';
import { createPacketParser, DISCONNECT, UNSUBACK, UNSUBSCRIBE, type PacketPart } from './packet-parser';

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
