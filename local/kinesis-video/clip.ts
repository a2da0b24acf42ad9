import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a clip that can be played by itself. */
export interface Segment {
  readonly bytes: Buffer;
  readonly seconds: number;
}

/** A short film in fragmented MP4. */
export interface Clip {
  /** What a player needs before any segment. */
  readonly init: Buffer;
  readonly segments: readonly Segment[];
}

/** Reads `init.mp4` and `segment-0.m4s`, `segment-1.m4s` … of a folder; throws when there are none. */
export function readClip(folder: string): Clip {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^segment-\d+\.m4s$/.test(name)) : [];
  if (names.length === 0) throw new Error(`${folder} holds no clip`);
  const segments = names.map((_, index) => readFileSync(join(folder, `segment-${index}.m4s`)));
  return {
    init: readFileSync(join(folder, 'init.mp4')),
    segments: segments.map((bytes) => ({ bytes, seconds: secondsOf(bytes) })),
  };
}

/**
 * A segment as it is at another moment of the stream: its decode time (ISO/IEC 14496-12, 8.8.12) says so. Players lose
 * their place in a live stream whose clock starts again every few seconds.
 * @param start seconds since the stream began
 */
export function segmentAt({ bytes }: Segment, start: number): Buffer {
  const moved = Buffer.from(bytes);
  const body = moved.subarray(boxIn(moved, 'tfdt'));
  const ticks = BigInt(Math.round(start * timescaleOf(bytes)));
  if (body.readUInt8(0) !== 1) throw new Error('A segment of the clip counts its time in 32 bits');
  body.writeBigUInt64BE(ticks, 4);
  return moved;
}

/** How long a segment plays, from its segment index (ISO/IEC 14496-12, 8.16.3). */
function secondsOf(segment: Buffer): number {
  const body = segment.subarray(boxIn(segment, 'sidx'));
  // Version 1 has two numbers of 64 bits where version 0 has two of 32.
  const counted = body.readUInt8(0) === 0 ? 22 : 30;
  const references = Array.from({ length: body.readUInt16BE(counted) }, (_, index) => counted + 2 + index * 12);
  return references.reduce((sum, at) => sum + body.readUInt32BE(at + 4), 0) / timescaleOf(segment);
}

/** Ticks a second. */
function timescaleOf(segment: Buffer): number {
  return segment.readUInt32BE(boxIn(segment, 'sidx') + 8);
}

/** Where the content of a box begins; throws when a segment has no such box. */
function boxIn(segment: Buffer, name: string): number {
  const at = segment.indexOf(name);
  if (at < 0) throw new Error(`A segment of the clip has no box ${name}`);
  return at + name.length;
}
