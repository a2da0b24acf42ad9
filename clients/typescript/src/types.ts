import type { components } from './messages.ts';
import type { paths } from './openapi.ts';
import type * as schemas from './schemas.ts';

/** Every schema and every query of the API's documents by its name. What follows has another name in this client. */
export type * from './schemas.ts';

export type NewJob = schemas.CreateJobRequest;
export type NewDispatch = schemas.DispatchJobRequest;
/** A job with the device that flies it, how far that is, and the devices that were looked at. */
export type Dispatch = Omit<schemas.DispatchJobReply, 'success'>;
/** Whether a job could be flown, what the flight takes, what speaks against it, and the devices that were looked at. */
export type JobCheck = Omit<schemas.CheckJobReply, 'success'>;
export type JobsPage = schemas.ListJobsReply;
export type JobsQuery = schemas.ListJobsQuery;
export type JobChange = schemas.UpdateJobRequest;

type MissionFiles = NonNullable<paths['/v3/missions']['post']>['requestBody']['content'];
/** What a mission's file is. */
export type MissionMediaType = keyof MissionFiles;
/** A file: its text or its bytes. */
export type MissionFile = string | Uint8Array | Blob;
export type MissionsPage = schemas.ListMissionsReply;
export type MissionsQuery = schemas.ListMissionsQuery;

export type NewShare = schemas.CreateShareRequest;
export type SharesPage = schemas.ListSharesReply;
export type SharesQuery = schemas.ListSharesQuery;
export type SharedResource = schemas.SharedDevice;

type Named<Request> = Request extends { name: infer Name } ? (string extends Name ? never : Request) : never;
/** A command of the drone platform's own, with parameters that only the platform knows. */
type OwnCommand = { name: `x-${string}`; jobId?: string; timeoutSeconds?: number; [parameter: string]: unknown };
/** A command to a device in flight, with its parameters. */
export type NewCommand = Named<schemas.SendCommandRequest> | OwnCommand;
export type CommandsPage = schemas.ListDeviceCommandsReply;
export type CommandsQuery = schemas.ListDeviceCommandsQuery;

export type ResourcesQuery = schemas.ListResourcesQuery;

export type EventsQuery = schemas.ListEventsQuery;
/** A change of a job, a device, a share or a command. A later service may send others: pass over a `type` that you don’t know. */
export type OrganisationEvent = schemas.JobEvent | schemas.DeviceEvent | schemas.ShareEvent | schemas.CommandEvent;
export type EventsPage = Omit<schemas.ListEventsReply, 'events'> & { events: OrganisationEvent[] };

export type TelemetrySample = schemas.Sample;
/** What a viewer of a share receives. */
export type ShareViewerMessage =
  | schemas.ViewerShareStatusMessage
  | schemas.SharePlaybackMessage
  | schemas.ViewerTelemetryMessage
  | schemas.ControlOutcomeMessage;
/** A command of a viewer; fields beside `name` are passed on to the drone platform. */
export type DroneCommand = components['schemas']['Command'];
/** The flight that a shared device is in. */
export type DeviceFlight = Omit<schemas.ShareFlightMessage, 'type' | 'id'>;
