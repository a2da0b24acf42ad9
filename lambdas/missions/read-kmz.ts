import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { invalid, Refusal } from '../../domain/values/refusal';

/** Files in an archive; a mission has few beside its own, such as pictures. */
const MAX_ENTRIES = 1000;
/** Bytes of an unpacked mission file. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;

const notReadable = (reason: string) => invalid('', `the file is not a readable KMZ archive: ${reason}`);

/**
 * Those of some files that an archive has. Nothing else of the archive is unpacked.
 * @returns their contents by their names
 * @throws Refusal `invalid_request` for what is no archive, or is damaged, encrypted or too large
 */
export async function readFromKmz(content: Buffer, names: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  try {
    const archive = await fromBufferPromise(content, { validateEntrySizes: true });
    const unpacked = new Map<string, Buffer>();
    for (const [name, entry] of await entriesOf(archive, names)) unpacked.set(name, await unpack(archive, entry));
    return unpacked;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw notReadable(error instanceof Error ? error.message.slice(0, 100).toWellFormed() : '');
  }
}

async function entriesOf(archive: ZipFile, names: readonly string[]): Promise<Map<string, Entry>> {
  if (archive.entryCount > MAX_ENTRIES) throw notReadable(`it has more than ${MAX_ENTRIES} files`);
  const found = new Map<string, Entry>();
  for await (const entry of archive.eachEntry()) {
    if (!names.includes(entry.fileName)) continue;
    if (found.has(entry.fileName)) throw notReadable(`it has two files ${entry.fileName}`);
    found.set(entry.fileName, entry);
  }
  return found;
}

async function unpack(archive: ZipFile, entry: Entry): Promise<Buffer> {
  const { fileName } = entry;
  if (entry.isEncrypted()) throw invalid('', `${fileName} is encrypted`);
  if (entry.uncompressedSize > MAX_UNPACKED_BYTES)
    throw invalid('', `${fileName} must not be larger than ${MAX_UNPACKED_BYTES} bytes`);
  // The library unpacks no more than the archive says, and then fails.
  const content = await buffer(await archive.openReadStreamPromise(entry));
  // It leaves the checksum to its callers.
  if (crc32(content) !== entry.crc32) throw notReadable(`the checksum of ${fileName} is wrong`);
  return content;
}
