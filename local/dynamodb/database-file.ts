import { existsSync } from 'node:fs';
import { replaceFile } from '../kept-file';

/** Newest stream records that are kept of each table; AWS keeps a day's, a reader here is seconds behind. */
const kept = 10_000;

/**
 * What the engine would make itself (dynoxide 1.2, schema version 9), plus two indexes and a trigger. Without them
 * every write looks for the table's highest sequence number in all records ever written, and slows down with them.
 * The trigger trims table by table and never takes a table's newest record, from which the next number is counted:
 * a reader that remembers its place finds everything after it.
 */
const schema = `
  CREATE TABLE _stream_records (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_name TEXT NOT NULL,
    event_name TEXT NOT NULL,
    keys_json TEXT NOT NULL,
    new_image TEXT,
    old_image TEXT,
    sequence_number TEXT NOT NULL,
    shard_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    user_identity TEXT
  );
  CREATE INDEX _stream_records_by_table
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
  CREATE INDEX _stream_records_by_shard
    ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER));
  CREATE TRIGGER _stream_records_trim AFTER INSERT ON _stream_records
    WHEN CAST(NEW.sequence_number AS INTEGER) % 100 = 0
    BEGIN
      DELETE FROM _stream_records
        WHERE table_name = NEW.table_name
          AND CAST(sequence_number AS INTEGER) <= CAST(NEW.sequence_number AS INTEGER) - ${kept};
    END;
`;

/** Makes the engine's database file unless it is there already. The folder must exist. @throws Breakdown on a full disk */
export async function prepareDatabase(file: string): Promise<void> {
  if (existsSync(file)) return;
  const { default: initSqlJs } = await import('sql.js');
  const { Database } = await initSqlJs();
  const database = new Database();
  database.exec(schema);
  // As a whole: the engine would refuse a part of it at every start.
  replaceFile(file, database.export());
  database.close();
}
