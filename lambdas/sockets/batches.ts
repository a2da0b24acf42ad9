import type { DeviceTelemetryBatchMessage } from '../../contract/channels/socket-messages';

/** Maximum size of a batch, in bytes: API Gateway counts a message by each 32 kB (API Gateway pricing, WebSocket APIs). */
const MAX_BYTES = 32 * 1024;

const type: DeviceTelemetryBatchMessage['type'] = 'device.telemetry.batch';
const [begin, end] = [`{"type":"${type}","samples":[`, ']}'];
const FRAME_BYTES = Buffer.byteLength(begin + end);

/**
 * Packs messages about devices into as few as possible, in their order; a message that would be alone stays as it is.
 * @param texts each a message as JSON
 */
export function inBatches(texts: readonly string[]): string[] {
  const batches: string[][] = [];
  let bytes = Infinity;
  for (const text of texts) {
    const more = Buffer.byteLength(text) + 1;
    if (bytes + more > MAX_BYTES) {
      batches.push([]);
      bytes = FRAME_BYTES;
    }
    batches.at(-1)?.push(text);
    bytes += more;
  }
  return batches.map((batch) => (batch.length === 1 ? batch.join() : `${begin}${batch.join(',')}${end}`));
}
