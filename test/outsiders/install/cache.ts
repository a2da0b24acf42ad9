import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NotInstalled } from '../lane';

/** Outside the working tree, so that a fresh clone reuses it; `OUTSIDERS_CACHE` names another folder. */
function cacheFolder(): string {
  return process.env['OUTSIDERS_CACHE'] ?? join(homedir(), '.cache', 'drone-mission-api', 'outsiders');
}

const ATTEMPTS = 3;
const NEXT_ATTEMPT_MS = 10_000;

/**
 * Does something that downloads, which may fail for a moment: then again.
 * @param what for people
 * @throws the error of the last attempt
 */
export async function withAttempts<Result>(what: string, download: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await download();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      console.log(`${what} failed, trying again: ${error instanceof Error ? error.message : String(error)}`);
      await pause(NEXT_ATTEMPT_MS);
    }
  }
}

/**
 * An immutable folder of the cache, installed once per content.
 * @param name of the installation, for people
 * @param contents everything that determines the installation, such as a list of pinned versions
 * @param install fills an empty folder, which is then moved: the installation must not contain its own path; called again when it fails
 * @throws {NotInstalled} when `install` fails at every attempt
 */
export async function installed(
  name: string,
  contents: string,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256').update(contents).digest('hex').slice(0, 12);
  const folder = join(cacheFolder(), `${name}-${digest}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  console.log(`installing ${name} into ${folder}`);
  try {
    return await withAttempts(`installing ${name}`, () => fill(folder, name, install));
  } catch (error) {
    throw new NotInstalled(name, error instanceof Error ? error.message : String(error), error);
  }
}

async function fill(folder: string, name: string, install: (folder: string) => Promise<void>): Promise<string> {
  const fresh = mkdtempSync(join(cacheFolder(), `.${name}-`));
  try {
    await install(fresh);
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was faster: its result is the same.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
