import * as z from 'zod/mini';
import { viewerCommand } from '../../domain/commands/command';
import { messageId as id } from '../terms/message-id';
import { flightMessage, playbackMessage } from './viewer-protocol';
import type { WebSocketAction } from '../terms/websocket-action';

// Actions of the viewers of a share.

const withoutFields = z.strictObject({ action: z.string(), id });

export const control = {
  needs: 'viewer',
  message: z.strictObject({ action: z.string(), id, command: viewerCommand }),
  reply: z.object({ type: z.literal('accepted'), requestId: z.string() }),
  refusals: ['too_many_requests', 'cannot_command', 'held_by'],
  handler: 'shares/control',
  tables: {
    shares: ['get'],
    partners: ['get'],
    fleet: ['get'],
    jobs: ['query'],
    commands: ['get', 'put'],
    requests: ['update'],
  },
} as const satisfies WebSocketAction;

export const takeControl = {
  needs: 'viewer',
  message: withoutFields,
  reply: z.object({ type: z.literal('control.taken'), until: z.string() }),
  refusals: ['too_many_requests', 'held_by'],
  handler: 'shares/take-control',
  tables: {
    shares: ['get'],
    partners: ['get'],
    fleet: ['get'],
    commands: ['get', 'put'],
    connections: ['put'],
    requests: ['update'],
  },
} as const satisfies WebSocketAction;

export const releaseControlAction = {
  needs: 'viewer',
  message: withoutFields,
  reply: z.object({ type: z.literal('control.released') }),
  refusals: ['too_many_requests', 'held_by'],
  handler: 'shares/release-control',
  tables: { shares: ['get'], commands: ['get', 'put'] },
} as const satisfies WebSocketAction;

export const playbackAction = {
  needs: 'viewer',
  message: withoutFields,
  reply: playbackMessage,
  refusals: ['share_not_found'],
  handler: 'shares/playback',
  tables: { shares: ['get'], partners: ['get'], fleet: ['query'] },
  bindings: ['video'],
} as const satisfies WebSocketAction;

export const flight = {
  needs: 'viewer',
  message: withoutFields,
  reply: flightMessage,
  refusals: ['share_not_found'],
  handler: 'shares/flight',
  tables: {
    shares: ['get'],
    partners: ['get'],
    fleet: ['get'],
    jobs: ['get'],
    missions: ['get'],
    flights: ['query'],
  },
} as const satisfies WebSocketAction;
