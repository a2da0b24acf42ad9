import type { components } from './messages.ts';
import type { components as restComponents, paths } from './openapi.ts';

type Method = 'get' | 'post' | 'patch' | 'delete';
type Operation<Path extends keyof paths, Name extends Method> = NonNullable<paths[Path][Name]>;
type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;

/** Body of the success of an endpoint. */
type Reply<Path extends keyof paths, Name extends Method> =
  Operation<Path, Name> extends { responses: infer Responses }
    ? Json<Responses[Extract<keyof Responses, 200 | 201>]>
    : never;

/** Body of a request to an endpoint. */
type Body<Path extends keyof paths, Name extends Method> =
  Operation<Path, Name> extends { requestBody?: infer Content } ? Json<NonNullable<Content>> : never;

/** Query parameters of an endpoint. */
type Query<Path extends keyof paths> =
  Operation<Path, 'get'> extends { parameters: { query?: infer Parameters } } ? NonNullable<Parameters> : never;

export type NewJob = Body<'/v3/jobs/create', 'post'>;
export type CreatedJob = Reply<'/v3/jobs/create', 'post'>['job'];
export type NewDispatch = Body<'/v3/jobs/dispatch', 'post'>;
/** A job with the device that flies it, how far that is, and the devices that were looked at. */
export type Dispatch = Omit<Reply<'/v3/jobs/dispatch', 'post'>, 'success'>;
/** Whether a job could be flown, what the flight takes, what speaks against it, and the devices that were looked at. */
export type JobCheck = Omit<Reply<'/v3/jobs/check', 'post'>, 'success'>;
export type JobsPage = Reply<'/v3/jobs', 'get'>;
export type JobSummary = JobsPage['jobs'][number];
export type JobsQuery = Query<'/v3/jobs'>;
export type Job = Reply<'/v3/jobs/{jobId}', 'get'>['job'];
/** Where a job was flown, in GeoJSON (RFC 7946). */
export type JobTrack = Reply<'/v3/jobs/{jobId}/track', 'get'>;
export type JobChange = Body<'/v3/jobs/{jobId}', 'patch'>;
export type UpdatedJob = Reply<'/v3/jobs/{jobId}', 'patch'>['job'];
export type CancelledJob = Reply<'/v3/jobs/{jobId}/cancel', 'post'>['job'];

type MissionFiles = NonNullable<paths['/v3/missions']['post']>['requestBody']['content'];
/** What a mission's file is. */
export type MissionMediaType = keyof MissionFiles;
/** A file: its text or its bytes. */
export type MissionFile = string | Uint8Array | Blob;
export type MissionsPage = Reply<'/v3/missions', 'get'>;
/** A mission without its waypoints. */
export type Mission = MissionsPage['missions'][number];
export type MissionsQuery = Query<'/v3/missions'>;
/** A mission with its waypoints, in GeoJSON (RFC 7946). */
export type MissionFeature = Reply<'/v3/missions/{missionId}', 'get'>;

export type NewShare = Body<'/v3/streams/share', 'post'>;
export type CreatedShare = Reply<'/v3/streams/share', 'post'>['share'];
export type SharesPage = Reply<'/v3/shares', 'get'>;
export type ListedShare = SharesPage['shares'][number];
export type SharesQuery = Query<'/v3/shares'>;
export type Share = Reply<'/v3/shares/{shareCode}', 'get'>['share'];
export type SharedResource = Reply<'/v3/shares/{shareCode}/resources', 'get'>['resources'][number];

type AnyCommand = Body<'/v3/devices/{deviceId}/commands', 'post'>;
type Named<Request> = Request extends { name: infer Name } ? (string extends Name ? never : Request) : never;
/** A command of the drone platform's own, with parameters that only the platform knows. */
type OwnCommand = { name: `x-${string}`; jobId?: string; timeoutSeconds?: number; [parameter: string]: unknown };
/** A command to a device in flight, with its parameters. */
export type NewCommand = Named<AnyCommand> | OwnCommand;
/** A command to a device, with what has become of it. */
export type Command = Reply<'/v3/devices/{deviceId}/commands/{commandId}', 'get'>['command'];
export type CommandsPage = Reply<'/v3/devices/{deviceId}/commands', 'get'>;
export type CommandsQuery = Query<'/v3/devices/{deviceId}/commands'>;
/** What a device can do; what is left out is not known. */
export type DeviceCapabilities = Reply<'/v3/devices/{deviceId}/capabilities', 'get'>['capabilities'];
/** Who holds the control of a device, and until when; without a holder only the device. */
export type DeviceControl = Reply<'/v3/devices/{deviceId}/control', 'get'>['control'];

export type ResourcesQuery = Query<'/v3/resources'>;
export type DeviceGroup = Reply<'/v3/resources', 'get'>['resources'][number];

/** What a client may do, and what is left of it. */
export type Limits = Reply<'/v3/limits', 'get'>['limits'];

export type EventsQuery = Query<'/v3/events'>;
type Events = restComponents['schemas'];
/** A change of a job, a device, a share or a command. A later service may send others: pass over a `type` that you don’t know. */
export type OrganisationEvent =
  | Events['JobEvent']
  | Events['DeviceEvent']
  | Events['ShareEvent']
  | Events['CommandEvent'];
export type EventsPage = Omit<Reply<'/v3/events', 'get'>, 'events'> & { events: OrganisationEvent[] };
/** A change of a job. */
export type JobEvent = Reply<'/v3/jobs/{jobId}/events', 'get'>['events'][number];

type Schemas = components['schemas'];
export type JobStatusMessage = Schemas['JobStatusMessage'];
export type DeviceStatusMessage = Schemas['DeviceStatusMessage'];
export type ShareStatusMessage = Schemas['ShareStatusMessage'];
export type CommandStatusMessage = Schemas['CommandStatusMessage'];
export type DeviceTelemetryMessage = Schemas['DeviceTelemetryMessage'];
export type TelemetrySample = Schemas['Sample'];
/** What a viewer of a share receives. */
export type ShareViewerMessage =
  | Schemas['ViewerShareStatusMessage']
  | Schemas['SharePlaybackMessage']
  | Schemas['ViewerTelemetryMessage']
  | Schemas['ControlOutcomeMessage'];
/** A command of a viewer; fields beside `name` are passed on to the drone platform. */
export type DroneCommand = Schemas['Command'];
/** The flight that a shared device is in. */
export type DeviceFlight = Omit<Schemas['ShareFlightMessage'], 'type' | 'id'>;
/** Where the live video can be played. */
export type LiveVideo = Schemas['LiveVideo'];
