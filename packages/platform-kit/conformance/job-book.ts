import type { Bus } from './bus';

/** A device as the platform registered it. */
export interface Device {
  readonly deviceId: string;
  readonly deviceGroupId: string;
}

/** A job that the run publishes, by its latest version. */
export interface PlayedJob {
  readonly jobId: string;
  readonly deviceGroupId: string;
  readonly deviceId?: string;
  readonly priority: number;
  readonly scheduledAt?: string;
  readonly version: number;
}

/** What the run expects of a job. */
export type Expectation = 'ends' | 'is not begun' | 'is stopped';

/** The jobs of a run, published as the service publishes them. */
export class JobBook {
  readonly jobs = new Map<string, PlayedJob>();
  readonly expectations = new Map<string, Expectation>();

  constructor(
    private readonly bus: Bus,
    readonly tag: string,
  ) {}

  /** Adds a job that the platform does not know yet. */
  add(name: string, device: Device, fields: Partial<PlayedJob> = {}, expected: Expectation = 'ends'): PlayedJob {
    // Identifiers sort by age, as those of the service do.
    const number = String(this.jobs.size).padStart(6, '0');
    const jobId = `job-${this.tag}-01conformance${number}${name}`.padEnd(39, '0');
    const job = { jobId, deviceGroupId: device.deviceGroupId, priority: 5, version: 1, ...fields };
    this.jobs.set(jobId, job);
    this.expectations.set(jobId, expected);
    return job;
  }

  /** Publishes an event of a job. @param more fields that the schema does not have, or another status */
  publish(type: string, job: PlayedJob, more: object = {}): Promise<void> {
    const { jobId, version } = job;
    const common = { eventId: `${jobId}/${version}`, organisationId: `org-${this.tag}`, at: new Date().toISOString() };
    return this.bus.publish(type, { ...common, status: 'PENDING', name: 'Conformance', ...job, ...more });
  }
}
