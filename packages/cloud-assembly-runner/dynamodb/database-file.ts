import { existsSync } from 'node:fs';
import { replaceFile } from '../data-folder/atomic-file';

/** Newest stream records kept per table. AWS keeps a day of them; readers here are seconds behind. */
const MAX_STREAM_RECORDS = 10_000;

/**
 * The schema that the engine would create itself (dynoxide 1.2, schema version 9), plus two indexes and a trigger.
 * Without them every write searches all records for the table's highest sequence number and slows down as they grow.
 * The trigger trims per table and never deletes a table's newest record, from which the next number is derived: a
 * reader finds every record after its position.
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
          AND CAST(sequence_number AS INTEGER) <= CAST(NEW.sequence_number AS INTEGER) - ${MAX_STREAM_RECORDS};
    END;
`;

/** Creates the engine's database file unless it exists. The folder must exist. @throws FatalError on a full disk */
export async function prepareDatabase(file: string): Promise<void> {
  if (existsSync(file)) return;
  const { default: initSqlJs } = await import('sql.js');
  const { Database } = await initSqlJs();
  const database = new Database();
  database.exec(schema);
  // Atomically: the engine would refuse an incomplete file at every start.
  replaceFile(file, database.export());
  database.close();
}
