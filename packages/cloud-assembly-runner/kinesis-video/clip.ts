import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A media segment of a clip. */
export interface Segment {
  readonly bytes: Buffer;
  readonly seconds: number;
}

/** A short video in fragmented MP4. */
export interface Clip {
  /** Initialisation segment. */
  readonly init: Buffer;
  readonly segments: readonly Segment[];
}

/** Reads `init.mp4`, `segment-0.m4s`, `segment-1.m4s` … from a folder. @throws Error when there are none */
export function readClip(folder = join(__dirname, 'clip')): Clip {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^segment-\d+\.m4s$/.test(name)) : [];
  if (names.length === 0) throw new Error(`${folder} contains no clip`);
  const segments = names.map((_, index) => readFileSync(join(folder, `segment-${index}.m4s`)));
  return {
    init: readFileSync(join(folder, 'init.mp4')),
    segments: segments.map((bytes) => ({ bytes, seconds: secondsOf(bytes) })),
  };
}

/**
 * A copy of a segment with another decode time (ISO/IEC 14496-12, 8.8.12). Players stall in a live stream whose clock
 * restarts with each loop of the clip.
 * @param start seconds since the stream began
 */
export function segmentAt({ bytes }: Segment, start: number): Buffer {
  const shifted = Buffer.from(bytes);
  const body = shifted.subarray(boxOffset(shifted, 'tfdt'));
  const ticks = BigInt(Math.round(start * timescaleOf(bytes)));
  if (body.readUInt8(0) !== 1) throw new Error('A segment of the clip has a 32-bit decode time; 64 bits are needed');
  body.writeBigUInt64BE(ticks, 4);
  return shifted;
}

/** Duration of a segment in seconds, from its segment index (ISO/IEC 14496-12, 8.16.3). */
function secondsOf(segment: Buffer): number {
  const body = segment.subarray(boxOffset(segment, 'sidx'));
  // Version 1 has two 64-bit numbers where version 0 has two 32-bit numbers.
  const counted = body.readUInt8(0) === 0 ? 22 : 30;
  const references = Array.from({ length: body.readUInt16BE(counted) }, (_, index) => counted + 2 + index * 12);
  return references.reduce((sum, at) => sum + body.readUInt32BE(at + 4), 0) / timescaleOf(segment);
}

/** Ticks per second. */
function timescaleOf(segment: Buffer): number {
  return segment.readUInt32BE(boxOffset(segment, 'sidx') + 8);
}

/** Offset of a box's content. @throws Error when the segment has no such box */
function boxOffset(segment: Buffer, name: string): number {
  const at = segment.indexOf(name);
  if (at < 0) throw new Error(`A segment of the clip has no box ${name}`);
  return at + name.length;
}
