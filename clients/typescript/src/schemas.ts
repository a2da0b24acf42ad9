// Generated from docs/api/{openapi,asyncapi}.json by `npm run types -w drone-mission-client`: change that document instead.

import type { components as messages } from './messages.ts';
import type { components, operations } from './openapi.ts';

/** What the drone does at `desiredLocation`: `HOVER` there, `ORBIT` around it, or fly the `MISSION` from there. A location alone means `HOVER`; a location with a `missionId` means `MISSION`. */
export type ActionOnArrival = components['schemas']['ActionOnArrival'];
/** State of the battery. */
export type Battery = components['schemas']['Battery'];
/** Bounds of a number in a request, both included. */
export type Bounds = components['schemas']['Bounds'];
/** The camera; other fields are specific to the vendor. */
export type Camera = components['schemas']['Camera'];
/** Reply to “Cancel a job that is PENDING or QUEUED”. */
export type CancelJobReply = components['schemas']['CancelJobReply'];
/** A job after it was cancelled. */
export type CancelledJob = components['schemas']['CancelledJob'];
/** A device near the place. */
export type Candidate = components['schemas']['Candidate'];
/** Reply to “Check whether a job could be flown”. */
export type CheckJobReply = components['schemas']['CheckJobReply'];
/** A command to a device, with what has become of it. */
export type Command = components['schemas']['Command'];
/** A change of the status of a command. */
export type CommandEvent = components['schemas']['CommandEvent'];
/** A place: a GeoJSON point (RFC 7946) with longitude and latitude in degrees, and optionally the altitude in metres above mean sea level. It must be within the range of the device, if the platform has registered one. */
export type CommandPosition = components['schemas']['CommandPosition'];
/** `REQUESTED`: accepted, not yet begun. `DELIVERED`: the device has begun. `DONE`: achieved. `REFUSED`: not attempted. `FAILED`: attempted without success. `TIMED_OUT`: there was no outcome in time, and nobody knows whether it was executed. `SUPERSEDED`: a later command took its place. */
export type CommandStatus = components['schemas']['CommandStatus'];
/** Lists with as many elements as a line, or points, have positions. */
export type CoordinateProperties = components['schemas']['CoordinateProperties'];
/** Lists with a list for each line, which has as many elements as the line has positions. */
export type CoordinatePropertiesOfLines = components['schemas']['CoordinatePropertiesOfLines'];
/** Reply to “Create a job”. */
export type CreateJobReply = components['schemas']['CreateJobReply'];
/** Body of “Create a job”. */
export type CreateJobRequest = components['schemas']['CreateJobRequest'];
/** Reply to “Create a mission from a file”. */
export type CreateMissionReply = components['schemas']['CreateMissionReply'];
/** Reply to “Share a device's live video or status by link”. */
export type CreateShareReply = components['schemas']['CreateShareReply'];
/** Body of “Share a device's live video or status by link”. */
export type CreateShareRequest = components['schemas']['CreateShareRequest'];
/** The main fields of a new job. */
export type CreatedJob = components['schemas']['CreatedJob'];
/** The main fields of a new share. */
export type CreatedShare = components['schemas']['CreatedShare'];
/** How the drone shall fly. The drone platform chooses what is left out, and tells it in `plannedFlight`. */
export type DesiredFlight = components['schemas']['DesiredFlight'];
/** Where the drone shall fly. It takes off, flies there in a straight line, and returns to its dock when it has done what `actionOnArrival` says. */
export type DesiredLocation = components['schemas']['DesiredLocation'];
/** A drone with its dock. */
export type Device = components['schemas']['Device'];
/** What a device can do. What is left out is not known. */
export type DeviceCapabilities = components['schemas']['DeviceCapabilities'];
/** Who holds the control of a device. Without a holder it has only `deviceId`. */
export type DeviceControl = components['schemas']['DeviceControl'];
/** A change of a device. */
export type DeviceEvent = components['schemas']['DeviceEvent'];
/** Devices to which jobs are given together. */
export type DeviceGroup = components['schemas']['DeviceGroup'];
/** How far a device flies. */
export type DeviceRange = components['schemas']['DeviceRange'];
/** What is known of a device, of each part what it reported last. */
export type DeviceState = components['schemas']['DeviceState'];
/** `online` while the device reports telemetry; `offline` after 30 seconds of silence. */
export type DeviceStatus = components['schemas']['DeviceStatus'];
/** Reply to “Dispatch the nearest free device to a place”. */
export type DispatchJobReply = components['schemas']['DispatchJobReply'];
/** Body of “Dispatch the nearest free device to a place”. */
export type DispatchJobRequest = components['schemas']['DispatchJobRequest'];
/** Why a request failed. */
export type Error = components['schemas']['Error'];
/** One thing that is wrong with a request. */
export type ErrorDetail = components['schemas']['ErrorDetail'];
/** What has happened, by its `type`. Pass over a type that you don’t know. */
export type Event = components['schemas']['Event'];
/** What speaks against a job. */
export type Finding = components['schemas']['Finding'];
/** How a drone flies. */
export type FlightSettings = components['schemas']['FlightSettings'];
/** GeoJSON (RFC 7946): a `LineString`, a `Feature` with one, or a `FeatureCollection` of one. */
export type GeoJsonFile = components['schemas']['GeoJsonFile'];
/** A line, several lines, or points. */
export type Geometry = components['schemas']['Geometry'];
/** Reply to “Read what a device can do”. */
export type GetCapabilitiesReply = components['schemas']['GetCapabilitiesReply'];
/** Reply to “Read a job”. */
export type GetJobReply = components['schemas']['GetJobReply'];
/** Reply to “Read the limits of the client and what is left of them”. */
export type GetLimitsReply = components['schemas']['GetLimitsReply'];
/** Reply to “Read a share”. */
export type GetShareReply = components['schemas']['GetShareReply'];
/** Turn the camera. Needs `pitch` or `yaw`. */
export type GimbalCommand = components['schemas']['GimbalCommand'];
/** Fly to a place, and hover there until `RESUME`. It ends a pause. */
export type GoToCommand = components['schemas']['GoToCommand'];
/** Reply to “Hold the control of a device”. */
export type HoldControlReply = components['schemas']['HoldControlReply'];
/** A job with all its fields. */
export type Job = components['schemas']['Job'];
/** A change of the status of a job. */
export type JobEvent = components['schemas']['JobEvent'];
/** Status of the job. It moves only so: `PENDING` → `QUEUED`, `CANCELLED`, `FAILED`; `QUEUED` → `IN_PROGRESS`, `CANCELLED`, `FAILED`; `IN_PROGRESS` → `COMPLETED`, `FAILED`. The last three are final. */
export type JobStatus = components['schemas']['JobStatus'];
/** The main fields of a job. */
export type JobSummary = components['schemas']['JobSummary'];
/** Where a job was flown, in GeoJSON (RFC 7946). */
export type JobTrack = components['schemas']['JobTrack'];
/** End the flight: land where the drone is. */
export type LandCommand = components['schemas']['LandCommand'];
/** What the drone platform said of a command that had ended before. */
export type LateOutcome = components['schemas']['LateOutcome'];
/** What a client may do, and what is left of it. */
export type Limits = components['schemas']['Limits'];
/** A GeoJSON line (RFC 7946). */
export type LineString = components['schemas']['LineString'];
/** Where to follow the status of a resource. */
export type Links = components['schemas']['Links'];
/** Reply to “List the commands of a device, newest first”. */
export type ListDeviceCommandsReply = components['schemas']['ListDeviceCommandsReply'];
/** Reply to “List what has happened, oldest first”. */
export type ListEventsReply = components['schemas']['ListEventsReply'];
/** Reply to “List the commands of a job, newest first”. */
export type ListJobCommandsReply = components['schemas']['ListJobCommandsReply'];
/** Reply to “List the changes of a job, oldest first”. */
export type ListJobEventsReply = components['schemas']['ListJobEventsReply'];
/** Reply to “List jobs, newest first”. */
export type ListJobsReply = components['schemas']['ListJobsReply'];
/** Reply to “List missions, newest first”. */
export type ListMissionsReply = components['schemas']['ListMissionsReply'];
/** Reply to “List the device groups of the organisation with their devices”. */
export type ListResourcesReply = components['schemas']['ListResourcesReply'];
/** Reply to “List the resources of a share”. */
export type ListShareResourcesReply = components['schemas']['ListShareResourcesReply'];
/** Reply to “List the active shares of the organisation”. */
export type ListSharesReply = components['schemas']['ListSharesReply'];
/** A share with the number of its viewers. */
export type ListedShare = components['schemas']['ListedShare'];
/** What a device reported last, without data of sensors. It holds only what the device knows. */
export type ListedState = components['schemas']['ListedState'];
/** A place: a GeoJSON point (RFC 7946). */
export type Location = components['schemas']['Location'];
/** Turn the camera to a place. */
export type LookAtCommand = components['schemas']['LookAtCommand'];
/** How long before the time of a state its parts were measured. */
export type MeasuredBefore = components['schemas']['MeasuredBefore'];
/** The operation is done. */
export type MessageReply = components['schemas']['MessageReply'];
/** A mission without its waypoints. */
export type Mission = components['schemas']['Mission'];
/** A mission in GeoJSON (RFC 7946). */
export type MissionFeature = components['schemas']['MissionFeature'];
/** A GeoJSON line (RFC 7946). */
export type MissionGeometry = components['schemas']['MissionGeometry'];
/** GeoJSON lines (RFC 7946): between gaps of more than ten seconds, and on both sides of 180°. */
export type MultiLineString = components['schemas']['MultiLineString'];
/** GeoJSON points (RFC 7946): positions of a device between two gaps, which make no line. */
export type MultiPoint = components['schemas']['MultiPoint'];
/** Where the drone is and how it moves. */
export type Navigation = components['schemas']['Navigation'];
/** Circle around a place. */
export type OrbitCommand = components['schemas']['OrbitCommand'];
/** Orientation of a drone or a camera. */
export type Orientation = components['schemas']['Orientation'];
/** A command that the drone platform defines, with its parameters. */
export type OwnCommand = components['schemas']['OwnCommand'];
/** Stop, and hover until `RESUME`. */
export type PauseCommand = components['schemas']['PauseCommand'];
/** `view`: watch. `control`: also send commands to the drone. */
export type Permission = components['schemas']['Permission'];
/** A plan of QGroundControl. */
export type PlanFile = components['schemas']['PlanFile'];
/** Where the live video can be played. */
export type Playback = components['schemas']['Playback'];
/** A GeoJSON point (RFC 7946). */
export type Position = components['schemas']['Position'];
/** How far a flight has come, as the drone platform or the device says: a completed job has 100 percent only if the platform said so. */
export type Progress = components['schemas']['Progress'];
/** What was known at each position: lists like `coordinates`, of a `MultiLineString` a list for each line. */
export type PropertiesOfCoordinates = components['schemas']['PropertiesOfCoordinates'];
/** How many of something a client may have at the same time. */
export type Quota = components['schemas']['Quota'];
/** How often a client may call an operation. */
export type RateLimit = components['schemas']['RateLimit'];
/** Go on after `PAUSE`, or after `GO_TO`. */
export type ResumeCommand = components['schemas']['ResumeCommand'];
/** End the flight: return and land. */
export type ReturnHomeCommand = components['schemas']['ReturnHomeCommand'];
/** Reply to “Send a command to a device in flight”. */
export type SendCommandReply = components['schemas']['SendCommandReply'];
/** Body of “Send a command to a device in flight”. */
export type SendCommandRequest = components['schemas']['SendCommandRequest'];
/** Data of sensors; fields other than `camera` are specific to the vendor. */
export type SensorPayload = components['schemas']['SensorPayload'];
/** A share with the address of its page. */
export type Share = components['schemas']['Share'];
/** Bounds of the fields of a new share. */
export type ShareBounds = components['schemas']['ShareBounds'];
/** The beginning or the end of a share. */
export type ShareEvent = components['schemas']['ShareEvent'];
/** `STREAM`: live video together with the status. `DEVICE_STATUS`: position and status only. */
export type ShareType = components['schemas']['ShareType'];
/** The device behind a share. */
export type SharedDevice = components['schemas']['SharedDevice'];
/** Begin to record video. */
export type StartRecordingCommand = components['schemas']['StartRecordingCommand'];
/** End the recording of video. */
export type StopRecordingCommand = components['schemas']['StopRecordingCommand'];
/** Take a photo. */
export type TakePhotoCommand = components['schemas']['TakePhotoCommand'];
/** An access token. */
export type Token = components['schemas']['Token'];
/** Credentials of a client. Other fields are ignored. */
export type TokenRequest = components['schemas']['TokenRequest'];
/** The lines that a device flew, or its positions that stand alone. */
export type TrackFeature = components['schemas']['TrackFeature'];
/** Whose positions they are, and of which job. */
export type TrackProperties = components['schemas']['TrackProperties'];
/** What every event has, also one of a type that is added later. */
export type UnknownEvent = components['schemas']['UnknownEvent'];
/** Reply to “Change a job”. */
export type UpdateJobReply = components['schemas']['UpdateJobReply'];
/** Body of “Change a job”. */
export type UpdateJobRequest = components['schemas']['UpdateJobRequest'];
/** A job after a change, with the fields that can change. */
export type UpdatedJob = components['schemas']['UpdatedJob'];
/** Velocity of a drone. */
export type Velocity = components['schemas']['Velocity'];
/** Weather that the device reports. */
export type Weather = components['schemas']['Weather'];
export type ListJobsQuery = NonNullable<operations['listJobs']['parameters']['query']>;
export type GetJobTrackQuery = NonNullable<operations['getJobTrack']['parameters']['query']>;
export type ListDeviceCommandsQuery = NonNullable<operations['listDeviceCommands']['parameters']['query']>;
export type CreateMissionQuery = NonNullable<operations['createMission']['parameters']['query']>;
export type ListMissionsQuery = NonNullable<operations['listMissions']['parameters']['query']>;
export type GetMissionQuery = NonNullable<operations['getMission']['parameters']['query']>;
export type ReplaceMissionQuery = NonNullable<operations['replaceMission']['parameters']['query']>;
export type ListStreamSharesQuery = NonNullable<operations['listStreamShares']['parameters']['query']>;
export type ListSharesQuery = NonNullable<operations['listShares']['parameters']['query']>;
export type ListResourcesQuery = NonNullable<operations['listResources']['parameters']['query']>;
export type ListEventsQuery = NonNullable<operations['listEvents']['parameters']['query']>;
export type LiveVideo = messages['schemas']['LiveVideo'];
/** The take-off of the flight that the device is in. Left out when it is not in flight. */
export type TakeOff = messages['schemas']['TakeOff'];
/** A position of the flight. */
export type TrackPoint = messages['schemas']['TrackPoint'];
export type MessageFault = messages['schemas']['MessageFault'];
export type RefusedSample = messages['schemas']['RefusedSample'];
export type PublishWarning = messages['schemas']['PublishWarning'];
export type JobStatusMessage = messages['schemas']['JobStatusMessage'];
export type DeviceStatusMessage = messages['schemas']['DeviceStatusMessage'];
export type ShareStatusMessage = messages['schemas']['ShareStatusMessage'];
export type CommandStatusMessage = messages['schemas']['CommandStatusMessage'];
export type PongMessage = messages['schemas']['PongMessage'];
export type AuthenticatedMessage = messages['schemas']['AuthenticatedMessage'];
export type SubscribedMessage = messages['schemas']['SubscribedMessage'];
export type UnsubscribedMessage = messages['schemas']['UnsubscribedMessage'];
export type PublishedMessage = messages['schemas']['PublishedMessage'];
export type AcceptedMessage = messages['schemas']['AcceptedMessage'];
export type ControlTakenMessage = messages['schemas']['ControlTakenMessage'];
export type ControlReleasedMessage = messages['schemas']['ControlReleasedMessage'];
export type SharePlaybackMessage = messages['schemas']['SharePlaybackMessage'];
export type ShareFlightMessage = messages['schemas']['ShareFlightMessage'];
export type HeartbeatMessage = messages['schemas']['HeartbeatMessage'];
export type ResumedMessage = messages['schemas']['ResumedMessage'];
export type GapMessage = messages['schemas']['GapMessage'];
export type ExpiringMessage = messages['schemas']['ExpiringMessage'];
export type ErrorMessage = messages['schemas']['ErrorMessage'];
export type DeviceTelemetryMessage = messages['schemas']['DeviceTelemetryMessage'];
export type SnapshotEndMessage = messages['schemas']['SnapshotEndMessage'];
export type DeviceTelemetryBatchMessage = messages['schemas']['DeviceTelemetryBatchMessage'];
export type ViewerShareStatusMessage = messages['schemas']['ViewerShareStatusMessage'];
export type ViewerTelemetryMessage = messages['schemas']['ViewerTelemetryMessage'];
export type ControlOutcomeMessage = messages['schemas']['ControlOutcomeMessage'];
export type Sample = messages['schemas']['Sample'];
export type PingMessage = messages['schemas']['PingMessage'];
export type AuthenticateMessage = messages['schemas']['AuthenticateMessage'];
export type SubscribeMessage = messages['schemas']['SubscribeMessage'];
export type UnsubscribeMessage = messages['schemas']['UnsubscribeMessage'];
export type PublishMessage = messages['schemas']['PublishMessage'];
export type ControlMessage = messages['schemas']['ControlMessage'];
export type TakeControlMessage = messages['schemas']['TakeControlMessage'];
export type ReleaseControlMessage = messages['schemas']['ReleaseControlMessage'];
export type PlaybackMessage = messages['schemas']['PlaybackMessage'];
export type FlightMessage = messages['schemas']['FlightMessage'];
