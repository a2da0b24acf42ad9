import type { Facts } from '../api/stack/facts';
import type { Caller } from './caller';
import type { Organisation } from './cast';
import type { CountedCall, KeyState } from './creation-model';
import type { Follower, Heard } from './channel-judge';
import type { Step } from './explain';
import type { FixedFields, JobFields, JobState } from './job-model';
import type { Target } from './operations';
import type { ShareState } from './share-model';
import type { Published } from './telemetry-judge';

/** When its creation may have taken effect; with an `Idempotency-Key` the first answer of several counts. */
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
  readonly asked: JobFields;
  readonly fixed: FixedFields;
  readonly steps: Step<JobState>[];
  /** What the platform has reported: it takes effect at some time before everything is settled. */
  readonly reports: Step<JobState>[];
  /** The highest version that an answer has shown. */
  seen: number;
  /** When a DELETE that succeeded was sent. */
  deleted?: number;
}

export interface ShareRecord {
  /** Its code, which is printed nowhere. */
  readonly id: string;
  readonly name: string;
  readonly organisation: Organisation;
  readonly created: Creation;
  readonly fixed: FixedFields;
  readonly deviceId: string;
  readonly maxViewers: number;
  readonly steps: Step<ShareState>[];
  /** When a revocation that succeeded was sent and answered. */
  revoked?: { readonly start: number; readonly end: number };
}

/** A page of a list. What is on it is looked up later: a creation that it shows may not have been answered yet. */
export interface Listing {
  readonly of: 'jobs' | 'shares';
  readonly organisation: Organisation;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** By status: read from an index that follows the table within moments (decisions, "Requests"). */
  readonly isFiltered: boolean;
  readonly isLastPage: boolean;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** A follower of a status channel that can still leave. */
export interface OpenFollower extends Follower {
  readonly heard: Heard[];
  /** When it asked to follow, and when that was granted: what is changed from then on is heard. */
  readonly opened: number;
  readonly from: number;
  closed?: { readonly at: number; readonly code: number } | undefined;
  left?: number | undefined;
  readonly leave: () => Promise<void>;
}

/** A telemetry socket that hears samples and can still be left. */
export interface OpenListener {
  readonly who: 'partner' | 'viewer';
  readonly tag: string;
  readonly deviceIds: readonly string[];
  readonly heard: Heard[];
  readonly share?: ShareRecord;
  readonly from: number;
  until?: number;
  over?: number;
  closed?: { readonly at: number; readonly code: number };
  readonly leave: () => Promise<void>;
}

/** Everything that a chapter has done and seen. */
export class World {
  readonly jobs = new Map<string, JobRecord>();
  readonly shares = new Map<string, ShareRecord>();
  readonly keys = new Map<string, { readonly uuid: string; readonly steps: Step<KeyState>[] }>();
  readonly listings: Listing[] = [];
  readonly followers: OpenFollower[] = [];
  readonly listeners: OpenListener[] = [];
  readonly samples: Published[] = [];
  /** What could not be explained on the spot. */
  readonly faults: string[] = [];

  constructor(
    readonly facts: Facts,
    readonly organisations: readonly Organisation[],
    readonly callers: readonly (readonly Caller[])[],
    /** Calls of limited endpoints, of all chapters: a minute may lie in two of them. */
    readonly counted: CountedCall[],
  ) {}

  /** The latest of an organisation's resources are in play, so that they are contended for. */
  private inPlay<Thing extends { readonly organisation: Organisation }>(all: Map<string, Thing>, of: Organisation) {
    return [...all.values()].filter(({ organisation }) => organisation === of).slice(-3);
  }

  private find<Thing extends { readonly organisation: Organisation }>(
    all: Map<string, Thing>,
    caller: Caller,
    { pick, whose }: Target,
  ): Thing | undefined {
    if (whose === 'nobody') return undefined;
    const own = this.organisations.indexOf(caller.organisation);
    const other = this.organisations[(own + 1 + (pick % 2)) % this.organisations.length];
    const found = this.inPlay(all, whose === 'own' || !other ? caller.organisation : other);
    return found[pick % Math.max(found.length, 1)];
  }

  /** The job that is meant; undefined for one that nobody has. */
  jobFor(caller: Caller, target: Target): JobRecord | undefined {
    return this.find(this.jobs, caller, target);
  }

  /** The share that is meant; undefined for one that nobody has. */
  shareFor(caller: Caller, target: Target): ShareRecord | undefined {
    return this.find(this.shares, caller, target);
  }

  complain(label: string, what: string): void {
    this.faults.push(`${label}: ${what}`);
  }

  /** Notes a sample as soon as it is on its way: it may be heard before it is answered. */
  publish(samples: readonly Published[]): void {
    this.samples.push(...samples);
  }
}

/** An identifier of the right form that names nothing, of an organisation. */
export const nobodys = (kind: 'job' | 'share' | 'group' | 'device', { tag }: Organisation): string =>
  `${kind}-${tag}-${'0'.repeat(kind === 'share' ? 36 : 26)}`;
