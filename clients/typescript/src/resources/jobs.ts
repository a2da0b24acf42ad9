import type { FlightFollowOptions } from '../channels/connection.ts';
import { bodyOf, itemsOf, type CallOptions, type Rest } from '../http/rest.ts';
import type {
  CancelledJob,
  Command,
  CreatedJob,
  Dispatch,
  Job,
  JobChange,
  JobCheck,
  JobEvent,
  JobsPage,
  JobsQuery,
  JobStatusMessage,
  JobSummary,
  JobTrack,
  NewDispatch,
  NewJob,
  UpdatedJob,
} from '../types.ts';
import { FINAL_STATES } from './final-states.ts';
import type { StatusChannels } from '../channels/follow.ts';

/** Options of a create. */
export interface CreateOptions extends CallOptions {
  /**
   * A UUID that makes a create repeatable for 24 hours. By default each call has a new one; pass your own where your program
   * may be restarted in between.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a change. */
export interface UpdateOptions extends CallOptions {
  /** Change the job only if it still has this version. */
  readonly ifVersion?: number | undefined;
}

/** Formats of a track, by their media types. */
const trackFormats = {
  geojson: 'application/geo+json',
  kml: 'application/vnd.google-earth.kml+xml',
  csv: 'text/csv',
} as const;

/** Options of a track. */
export interface TrackOptions<Format extends keyof typeof trackFormats> extends CallOptions {
  /** `geojson` by default; `kml` for Google Earth, `csv` for spreadsheets. */
  readonly format?: Format | undefined;
}

/** Jobs: requests for drone missions. */
export class Jobs {
  constructor(
    private readonly rest: Rest,
    private readonly channels: StatusChannels,
  ) {}

  /** Creates a job. @throws ApiError, ConnectionError */
  async create(body: NewJob, { idempotencyKey, ...options }: CreateOptions = {}): Promise<CreatedJob> {
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const created = this.rest.POST('/v3/jobs/create', { ...options, body, params: { header } });
    return (await bodyOf('POST /v3/jobs/create', created)).job;
  }

  /** Creates a job for the free device that would be there first. @throws ApiError (409 when none is free), ConnectionError */
  async dispatch(body: NewDispatch, { idempotencyKey, ...options }: CreateOptions = {}): Promise<Dispatch> {
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const created = this.rest.POST('/v3/jobs/dispatch', { ...options, body, params: { header } });
    const { success: _, ...dispatch } = await bodyOf('POST /v3/jobs/dispatch', created);
    return dispatch;
  }

  /** Asks whether a job could be flown, and creates none; up to two seconds. @throws ApiError, ConnectionError */
  async check(body: NewJob, options: CallOptions = {}): Promise<JobCheck> {
    const checked = this.rest.POST('/v3/jobs/check', { ...options, body });
    const { success: _, ...check } = await bodyOf('POST /v3/jobs/check', checked);
    return check;
  }

  /** All jobs of the organisation, newest first, page after page. @throws ApiError, ConnectionError */
  list(
    query: Omit<JobsQuery, 'nextToken'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<JobSummary, void, undefined> {
    return itemsOf(
      (nextToken) => this.page({ ...query, ...(nextToken !== undefined && { nextToken }) }, options),
      ({ jobs }) => jobs,
    );
  }

  /**
   * One page of jobs; its `nextToken`, if it has one, is what to ask for the next page with.
   * @throws ApiError, ConnectionError
   */
  page(query: JobsQuery = {}, options: CallOptions = {}): Promise<JobsPage> {
    return bodyOf('GET /v3/jobs', this.rest.GET('/v3/jobs', { ...options, params: { query } }));
  }

  /** A job. @throws ApiError, ConnectionError */
  async get(jobId: string, options: CallOptions = {}): Promise<Job> {
    const found = this.rest.GET('/v3/jobs/{jobId}', { ...options, params: { path: { jobId } } });
    return (await bodyOf('GET /v3/jobs/{jobId}', found)).job;
  }

  /** Where a job was flown, so far: a line for each device that flew it. @throws ApiError, ConnectionError */
  track(jobId: string, options?: TrackOptions<'geojson'>): Promise<JobTrack>;
  /** The same as text of a file. @throws ApiError, ConnectionError */
  track(jobId: string, options: TrackOptions<'kml' | 'csv'>): Promise<string>;
  track(
    jobId: string,
    { format = 'geojson', ...options }: TrackOptions<keyof typeof trackFormats> = {},
  ): Promise<JobTrack | string> {
    const track = this.rest.GET('/v3/jobs/{jobId}/track', {
      ...options,
      params: { path: { jobId } },
      headers: { accept: trackFormats[format] },
      parseAs: format === 'geojson' ? 'json' : 'text',
    });
    return bodyOf('GET /v3/jobs/{jobId}/track', track);
  }

  /** Changes a job; `metadata` is replaced as a whole. @throws ApiError, ConnectionError */
  async update(jobId: string, body: JobChange, { ifVersion, ...options }: UpdateOptions = {}): Promise<UpdatedJob> {
    const header = ifVersion === undefined ? {} : { 'If-Match': `"${ifVersion}"` };
    const changed = this.rest.PATCH('/v3/jobs/{jobId}', { ...options, body, params: { path: { jobId }, header } });
    return (await bodyOf('PATCH /v3/jobs/{jobId}', changed)).job;
  }

  /** Cancels a job that is PENDING or QUEUED. @throws ApiError, ConnectionError */
  async cancel(jobId: string, options: CallOptions = {}): Promise<CancelledJob> {
    const cancelled = this.rest.POST('/v3/jobs/{jobId}/cancel', { ...options, params: { path: { jobId } } });
    return (await bodyOf('POST /v3/jobs/{jobId}/cancel', cancelled)).job;
  }

  /** Deletes a job. @throws ApiError, ConnectionError */
  async delete(jobId: string, options: CallOptions = {}): Promise<void> {
    await bodyOf(
      'DELETE /v3/jobs/{jobId}',
      this.rest.DELETE('/v3/jobs/{jobId}', { ...options, params: { path: { jobId } } }),
    );
  }

  /** The newest hundred commands that devices got while they flew the job, newest first. @throws ApiError, ConnectionError */
  async commands(jobId: string, options: CallOptions = {}): Promise<readonly Command[]> {
    const found = this.rest.GET('/v3/jobs/{jobId}/commands', { ...options, params: { path: { jobId } } });
    return (await bodyOf('GET /v3/jobs/{jobId}/commands', found)).commands;
  }

  /** Each change of a job's status that the event log still has, oldest first. @throws ApiError, ConnectionError */
  async events(jobId: string, options: CallOptions = {}): Promise<readonly JobEvent[]> {
    const found = this.rest.GET('/v3/jobs/{jobId}/events', { ...options, params: { path: { jobId } } });
    return (await bodyOf('GET /v3/jobs/{jobId}/events', found)).events;
  }

  /**
   * A job's state, then each change of it and where its drone is. Ends when the job is COMPLETED, FAILED, CANCELLED or deleted.
   * @throws ApiError, ConnectionError, the reason of the signal
   */
  follow(jobId: string, options: FlightFollowOptions = {}): AsyncGenerator<JobStatusMessage, void, undefined> {
    return this.channels.follow<JobStatusMessage>(
      {
        path: `/v3/jobs/${encodeURIComponent(jobId)}/status/ws`,
        type: 'job.status',
        subject: 'Following a job',
        isLast: ({ deleted, jobState }) => deleted === true || FINAL_STATES.includes(jobState),
      },
      options,
    );
  }
}
