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

/** How long a segment plays, from its segment index (ISO/IEC 14496-12, 8.16.3). */
function secondsOf(segment: Buffer): number {
  const name = segment.indexOf('sidx');
  if (name < 0) throw new Error('A segment of the clip has no index');
  const body = segment.subarray(name + 4);
  const timescale = body.readUInt32BE(8);
  // Version 1 has two numbers of 64 bits where version 0 has two of 32.
  const counted = body.readUInt8(0) === 0 ? 22 : 30;
  const references = Array.from({ length: body.readUInt16BE(counted) }, (_, index) => counted + 2 + index * 12);
  return references.reduce((sum, at) => sum + body.readUInt32BE(at + 4), 0) / timescale;
}
