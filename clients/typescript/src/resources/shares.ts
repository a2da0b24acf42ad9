import type { StatusFollowOptions } from '../channels/connection.ts';
import { bodyOf, itemsOf, type CallOptions, type Rest } from '../http/rest.ts';
import type {
  CreatedShare,
  ListedShare,
  NewShare,
  Share,
  SharedResource,
  SharesPage,
  SharesQuery,
  ShareStatusMessage,
} from '../types.ts';
import type { CreateOptions } from './jobs.ts';
import type { StatusChannels } from '../channels/follow.ts';

/** Shares: links to the live video or status of one device. */
export class Shares {
  constructor(
    private readonly rest: Rest,
    private readonly channels: StatusChannels,
  ) {}

  /** Shares a device by link. @throws ApiError, ConnectionError */
  async create(body: NewShare, { idempotencyKey, ...options }: CreateOptions = {}): Promise<CreatedShare> {
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const created = this.rest.POST('/v3/streams/share', { ...options, body, params: { header } });
    return (await bodyOf('POST /v3/streams/share', created)).share;
  }

  /** All active shares of the organisation, newest first, page after page. @throws ApiError, ConnectionError */
  list(
    query: Omit<SharesQuery, 'nextToken'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ListedShare, void, undefined> {
    return itemsOf(
      (nextToken) => this.page({ ...query, ...(nextToken !== undefined && { nextToken }) }, options),
      ({ shares }) => shares,
    );
  }

  /**
   * One page of shares; its `nextToken`, if it has one, is what to ask for the next page with.
   * @throws ApiError, ConnectionError
   */
  page(query: SharesQuery = {}, options: CallOptions = {}): Promise<SharesPage> {
    return bodyOf('GET /v3/shares', this.rest.GET('/v3/shares', { ...options, params: { query } }));
  }

  /** An active share. @throws ApiError, ConnectionError */
  async get(shareCode: string, options: CallOptions = {}): Promise<Share> {
    const found = this.rest.GET('/v3/shares/{shareCode}', { ...options, params: { path: { shareCode } } });
    return (await bodyOf('GET /v3/shares/{shareCode}', found)).share;
  }

  /** What stands behind a share: the device with its last known state, and its video. @throws ApiError, ConnectionError */
  async resources(shareCode: string, options: CallOptions = {}): Promise<readonly SharedResource[]> {
    const found = this.rest.GET('/v3/shares/{shareCode}/resources', { ...options, params: { path: { shareCode } } });
    return (await bodyOf('GET /v3/shares/{shareCode}/resources', found)).resources;
  }

  /** Revokes a share: its viewers are disconnected at once. @throws ApiError, ConnectionError */
  async revoke(shareCode: string, options: CallOptions = {}): Promise<void> {
    await bodyOf(
      'DELETE /v3/shares/{shareCode}',
      this.rest.DELETE('/v3/shares/{shareCode}', { ...options, params: { path: { shareCode } } }),
    );
  }

  /**
   * A share's state, then each change of it and of the number of its viewers. Ends when it is REVOKED or EXPIRED.
   * @throws ApiError, ConnectionError, the reason of the signal
   */
  follow(shareCode: string, options: StatusFollowOptions = {}): AsyncGenerator<ShareStatusMessage, void, undefined> {
    return this.channels.follow<ShareStatusMessage>(
      {
        path: `/v3/shares/${encodeURIComponent(shareCode)}/status/ws`,
        type: 'share.status',
        subject: 'Following a share',
        isLast: ({ shareState }) => shareState === 'REVOKED' || shareState === 'EXPIRED',
      },
      options,
    );
  }
}
