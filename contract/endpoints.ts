import type { Endpoint } from './terms/endpoint';
import * as commands from './commands/commands.endpoints';
import * as dispatch from './dispatch/dispatch.endpoints';
import * as events from './events/events.endpoints';
import * as fleet from './fleet/fleet.endpoints';
import * as jobs from './jobs/jobs.endpoints';
import * as limits from './access/limits.endpoints';
import * as missions from './missions/missions.endpoints';
import * as shares from './shares/shares.endpoints';
import * as token from './access/token.endpoints';
import * as tracks from './telemetry/tracks.endpoints';

/**
 * Every HTTP endpoint (spec section 4). API Gateway's methods, scopes, IAM grants, environment variables, rate limits and
 * the 405s with `Allow` derive from this table. A function imports its own endpoint only, not the table, so that
 * it loads no schemas of others.
 */
export const endpoints = {
  'POST /v3/auth/token': token.issueToken,
  'POST /v3/jobs/create': jobs.createJob,
  'POST /v3/jobs/dispatch': dispatch.dispatchJob,
  'POST /v3/jobs/check': dispatch.checkJob,
  'GET /v3/jobs': jobs.listJobs,
  'GET /v3/jobs/{jobId}': jobs.getJob,
  'GET /v3/jobs/{jobId}/track': tracks.getJobTrack,
  'PATCH /v3/jobs/{jobId}': jobs.updateJob,
  'DELETE /v3/jobs/{jobId}': jobs.deleteJob,
  'POST /v3/jobs/{jobId}/cancel': jobs.cancelJob,
  'GET /v3/jobs/{jobId}/commands': commands.listJobCommands,
  'POST /v3/devices/{deviceId}/commands': commands.sendCommand,
  'GET /v3/devices/{deviceId}/commands': commands.listDeviceCommands,
  'GET /v3/devices/{deviceId}/commands/{commandId}': commands.getCommand,
  'GET /v3/devices/{deviceId}/capabilities': fleet.getCapabilities,
  'PUT /v3/devices/{deviceId}/control': commands.holdControl,
  'GET /v3/devices/{deviceId}/control': commands.getControl,
  'DELETE /v3/devices/{deviceId}/control': commands.releaseControl,
  'POST /v3/missions': missions.createMission,
  'GET /v3/missions': missions.listMissions,
  'GET /v3/missions/{missionId}': missions.getMission,
  'PUT /v3/missions/{missionId}': missions.replaceMission,
  'DELETE /v3/missions/{missionId}': missions.deleteMission,
  'POST /v3/streams/share': shares.createShare,
  'GET /v3/streams/share': shares.listShares,
  'GET /v3/streams/share/{shareCode}': shares.getShare,
  'DELETE /v3/streams/share/{shareCode}': shares.revokeShare,
  'GET /v3/shares': shares.listShares,
  'GET /v3/shares/{shareCode}': shares.getShare,
  'DELETE /v3/shares/{shareCode}': shares.revokeShare,
  'GET /v3/shares/{shareCode}/resources': shares.listShareResources,
  'GET /v3/resources': fleet.listResources,
  'GET /v3/events': events.listEvents,
  'GET /v3/jobs/{jobId}/events': events.listJobEvents,
  'GET /v3/limits': limits.getLimits,
} as const satisfies Record<string, Endpoint>;

export type EndpointKey = keyof typeof endpoints;
