import type { Facts } from '../api/stack/facts';
import type { Caller } from './caller';
import type { OpenAir, OpenDocks } from './session';
import type { Organisation } from './organisations';
import type { KeyState, FixedFields, JobFields, JobState } from './job-model';
import type { CountedCall } from './rate-limit-violations';
import type { Follower, ReceivedMessage } from './channel-violations';
import type { Step } from './linearize';
import type { Target } from './operations';
import type { ShareState } from './share-model';
import type { PublishedSample, PublishedList, StatusFacts } from './telemetry-violations';

/** When the creation may have taken effect; of repeats with an `Idempotency-Key` the first answer counts. */
interface Creation {
  start: number;
  end: number;
  label: string;
}

export interface JobRecord {
  readonly id: string;
  readonly name: string;
  readonly organisation: Organisation;
  readonly created: Creation;
  readonly request: JobFields;
  readonly fixed: FixedFields;
  readonly steps: Step<JobState>[];
  /** Reports of the platform: each takes effect some time before everything is settled. */
  readonly reports: Step<JobState>[];
  /** Its statuses by the clock, for its track. */
  readonly statuses: { readonly [Name in keyof StatusFacts]: StatusFacts[Name][number][] };
  /** The highest version seen in an answer. */
  latestVersion: number;
  /** When a successful DELETE was sent. */
  deleted?: number;
}

export interface ShareRecord {
  /** Its share code, which is never printed. */
  readonly id: string;
  readonly name: string;
  readonly organisation: Organisation;
  readonly created: Creation;
  readonly fixed: FixedFields;
  readonly deviceId: string;
  readonly maxViewers: number;
  readonly steps: Step<ShareState>[];
  /** When a successful revocation was sent and answered. */
  revoked?: { readonly start: number; readonly end: number };
}

/** A page of a list. Its items are looked up later: a creation that it shows may not have been answered yet. */
export interface Listing {
  readonly of: 'jobs' | 'shares';
  readonly organisation: Organisation;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** By status: read from an eventually consistent index (docs/decisions/requests.md). */
  readonly isFiltered: boolean;
  readonly isLastPage: boolean;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** A follower of a status channel, which can leave. */
export interface OpenFollower extends Follower {
  readonly received: ReceivedMessage[];
  /** When it asked to follow, and when that was granted: later changes must be received. */
  readonly opened: number;
  readonly from: number;
  closed?: { readonly at: number; readonly code: number } | undefined;
  left?: number | undefined;
  readonly leave: () => Promise<void>;
}

/** A telemetry subscriber, which can leave. */
export interface OpenSubscriber {
  readonly role: 'partner' | 'viewer';
  readonly tag: string;
  readonly deviceIds: readonly string[];
  /** Whether it asked for batches. */
  readonly batch: boolean;
  readonly received: ReceivedMessage[];
  readonly share?: ShareRecord;
  from: number;
  leavesAt?: number;
  leftAt?: number;
  closed?: { readonly at: number; readonly code: number };
  readonly leave: () => Promise<void>;
}

/** The recorded history of a batch. */
export class HistoryRecorder {
  readonly jobs = new Map<string, JobRecord>();
  readonly shares = new Map<string, ShareRecord>();
  readonly keys = new Map<string, { readonly uuid: string; readonly steps: Step<KeyState>[] }>();
  readonly listings: Listing[] = [];
  readonly followers: OpenFollower[] = [];
  readonly subscribers: OpenSubscriber[] = [];
  readonly samples: PublishedSample[] = [];
  readonly lists: PublishedList[] = [];
  /** Violations found while running. */
  readonly violations: string[] = [];

  constructor(
    readonly facts: Facts,
    readonly organisations: readonly Organisation[],
    readonly callers: readonly (readonly Caller[])[],
    readonly docks: OpenDocks,
    readonly air: OpenAir,
    /** Calls of rate-limited endpoints of all batches, since a minute may span two of them. */
    readonly counted: CountedCall[],
  ) {}

  /** Operations use an organisation's latest resources, so that they contend. */
  private latestOf<Thing extends { readonly organisation: Organisation }>(all: Map<string, Thing>, of: Organisation) {
    return [...all.values()].filter(({ organisation }) => organisation === of).slice(-3);
  }

  private find<Thing extends { readonly organisation: Organisation }>(
    all: Map<string, Thing>,
    caller: Caller,
    { pick, whose }: Target,
  ): Thing | undefined {
    if (whose === 'unknown') return undefined;
    const own = this.organisations.indexOf(caller.organisation);
    const other = this.organisations[(own + 1 + (pick % 2)) % this.organisations.length];
    const found = this.latestOf(all, whose === 'own' || !other ? caller.organisation : other);
    return found[pick % Math.max(found.length, 1)];
  }

  /** The selected job; undefined for an unknown id. */
  jobFor(caller: Caller, target: Target): JobRecord | undefined {
    return this.find(this.jobs, caller, target);
  }

  /** The organisation's latest job that was last seen in flight: few are, so samples prefer it. */
  flownJobOf({ organisation }: Caller): JobRecord | undefined {
    return [...this.jobs.values()].findLast(
      (job) => job.organisation === organisation && job.statuses.seen.at(-1)?.status === 'IN_PROGRESS',
    );
  }

  /** The selected share; undefined for an unknown id. */
  shareFor(caller: Caller, target: Target): ShareRecord | undefined {
    return this.find(this.shares, caller, target);
  }

  addViolation(label: string, what: string): void {
    this.violations.push(`${label}: ${what}`);
  }

  /** Records samples before they are sent: they may be received before the answer. */
  addSamples(samples: readonly PublishedSample[]): void {
    this.samples.push(...samples);
  }
}

/** A well-formed identifier of an organisation that does not exist. */
export const unknownId = (kind: 'job' | 'share' | 'group' | 'device', { tag }: Organisation): string =>
  `${kind}-${tag}-${'0'.repeat(kind === 'share' ? 36 : 26)}`;
