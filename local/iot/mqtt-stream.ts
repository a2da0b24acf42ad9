import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { createPacketMeter, DISCONNECT } from './packet-meter';

/** A message of 128 KB with its topic, or a CONNECT with such a will. */
const MAX_PACKET_BYTES = 136 * 1024;
/** What may wait for a client that does not read, before it is dropped. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** How long a connection may take to send its last words. */
const FAREWELL_MS = 2000;

/**
 * A client's bytes as the broker reads and writes them, bounded both ways: a packet that is too large, or a client that
 * does not read, ends the connection. A write never waits, so that one slow client holds up no other.
 */
export class MqttStream extends Duplex {
  /** Whether the client sent DISCONNECT. */
  saidGoodbye = false;

  constructor(readonly socket: TLSSocket) {
    super({ allowHalfOpen: false, writableHighWaterMark: 2 * MAX_UNREAD_BYTES });
    const meter = createPacketMeter(MAX_PACKET_BYTES);
    socket.on('data', (bytes: Buffer) => {
      const types = meter(bytes);
      if (!types) {
        this.destroy(new Error('no MQTT, or a packet that is too large'));
        return;
      }
      if (types.includes(DISCONNECT)) this.saidGoodbye = true;
      if (!this.push(bytes)) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.once('error', (error: Error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.send(bytes, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  private send(bytes: Buffer, done: (error?: Error) => void): void {
    this.socket.write(bytes);
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
      socket.destroySoon();
      setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
    }
    done(error);
  }
}
