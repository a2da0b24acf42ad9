import { scopes } from '../../../contract/terms/scopes';
import { newId } from '../../../data/store/new-id';
import { logEvents } from '../../../lambdas/events/log-events';
import { readFeed } from '../../../lambdas/events/read-feed';
import { jobRecord } from '../../data/fixtures/stream-record';
import { acme, sampleJob } from '../../domain/fixtures/samples';
import type { Measured } from './figure';
import { recordCalls } from './recorded-calls';
import { useStorage } from './storage';

/** Changes of a batch. */
const BATCH = 10;

const namesOf = async (run: () => Promise<unknown>) =>
  (await recordCalls(run)).map(({ command }) => command.replace(/Command$/, '')).join(', ');

const compared = (figure: string, measured: string, mustBe: string): Measured => ({
  figure,
  measured,
  mustBe,
  ok: measured === mustBe,
});

/** Appends a batch of changes of an organisation, as the fan-out does. */
async function logBatch(size: number): Promise<void> {
  const records = Array.from({ length: size }, (_, index) =>
    jobRecord(undefined, sampleJob({ jobId: newId('job', acme) }), index),
  );
  const { eventsOf } = logEvents(records);
  await Promise.all(records.map(eventsOf));
}

/** The DynamoDB calls of the log. */
export async function logCalls(): Promise<Measured[]> {
  await useStorage();
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  // The first batch of an instance reads how far the log is.
  const first = await namesOf(() => logBatch(BATCH));
  const next = await namesOf(() => logBatch(BATCH));
  const single = await namesOf(() => logBatch(1));
  const page = await namesOf(() => readFeed({ organisation: acme, scopes, limit: 50 }, 0, new Date()));
  return [
    compared(
      `calls of the log for a batch of ${BATCH} changes, the first of an instance`,
      first,
      'Query, TransactWrite',
    ),
    compared(`calls of the log for a batch of ${BATCH} changes`, next, 'TransactWrite'),
    compared('calls of the log for a change on its own', single, 'Put'),
    compared('calls for a page of the feed', page, 'Query'),
  ];
}
