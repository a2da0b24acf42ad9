// Generated from docs/api/asyncapi.json by `npm run types -w drone-mission-client`: change that document instead.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptedMessage: {
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description Identifier of the command; its outcome has the same one.
             * @example command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n
             */
            requestId: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "accepted";
        };
        AuthenticatedMessage: {
            /**
             * Format: date-time
             * @description When the socket will be closed: the end of the token, at most two hours after the handshake.
             * @example 2026-11-20T11:30:15.000Z
             */
            expiresAt: string;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description Present, and `true`, when all subscriptions have ended, since the new token lacks `resources:read`.
             * @example true
             */
            subscriptionsEnded?: boolean;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "authenticated";
        };
        AuthenticateMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "authenticate";
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description A new access token of the client that opened the socket.
             * @example eyJraWQiOiJkZW1vIiwiYWxnIjoiUlMyNTYifQ.eyJzY29wZSI6IuKApiJ9.c2lnbmF0dXJl
             */
            token: string;
        };
        /** @description State of the battery. */
        Battery: {
            /**
             * Format: double
             * @description Charge in percent, 0 to 100.
             * @example 81
             */
            percent?: number;
            /**
             * Format: double
             * @description Remaining flight time in seconds, 0 to 86400.
             * @example 1260
             */
            remainingFlightTime?: number;
            /**
             * Format: double
             * @description Volts, 0 to 1000.
             * @example 24.1
             */
            voltage?: number;
        };
        /** @description The camera. */
        Camera: {
            orientation?: components["schemas"]["Orientation"];
        };
        /** @description The command: its `name`, and its parameters beside it. */
        Command: {
            /**
             * @description Name of the command: `PAUSE`, `RESUME`, `RETURN_HOME`, `LAND`, `GO_TO`, `ORBIT`, `LOOK_AT`, `GIMBAL`, `TAKE_PHOTO`, `START_RECORDING`, `STOP_RECORDING`, or a name that the drone platform defines, `x-…`.
             * @example GO_TO
             */
            name: string;
        } & {
            [key: string]: unknown;
        };
        CommandStatusMessage: {
            /**
             * @description Identifier of the command, assigned by the service. Treat it as opaque.
             * @example command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n
             */
            commandId: string;
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor?: string;
            /**
             * @description Identifier of a device group.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            /**
             * @description The job that the device flew, or that the request named. Left out without a job.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            lateOutcome?: components["schemas"]["LateOutcome"];
            /**
             * @description Name of the command: `PAUSE`, `RESUME`, `RETURN_HOME`, `LAND`, `GO_TO`, `ORBIT`, `LOOK_AT`, `GIMBAL`, `TAKE_PHOTO`, `START_RECORDING`, `STOP_RECORDING`, or a name that the drone platform defines, `x-…`.
             * @example GO_TO
             */
            name: string;
            /**
             * @description Who sent it: `partner`, a client of your organisation; `share`, a viewer; `service`, this service.
             * @example partner
             */
            origin: string;
            /**
             * @description Why it was refused or has failed, if that is known. `NOT_SUPPORTED`: The device or the platform has no such command. `NOT_ALLOWED`: The platform does not allow it now. `DEVICE_OFFLINE`: The device can’t be reached. `DEVICE_BUSY`: The device does something that it can’t leave. `TOO_LATE`: It could not be begun in time. `OUT_OF_ORDER`: A later command had been taken before. `OUT_OF_RANGE`: The place is farther than the device flies. `DEVICE_FAULT`: The device did not work. `SHARE_ENDED`: The share that it came through ended before it was delivered. Others may be added: accept them.
             * @example DEVICE_BUSY
             */
            reason?: string;
            /**
             * @description Present, and `true`, in what was missed while the client was not connected. Only over WebSockets, after connecting with `after`.
             * @example true
             */
            replayed?: boolean;
            /**
             * @description The client id of the client that sent it. Of a viewer a pseudonym, the same for all commands of one connection.
             * @example 6b1o2p3q4r5s6t7u8v9w0x1y2z
             */
            requestedBy?: string;
            /**
             * Format: int64
             * @description Version of the command; each command counts by itself, from 1.
             * @example 3
             */
            sequence: number;
            /**
             * @description `REQUESTED`: accepted, not yet begun. `DELIVERED`: the device has begun. `DONE`: achieved. `REFUSED`: not attempted. `FAILED`: attempted without success. `TIMED_OUT`: there was no outcome in time, and nobody knows whether it was executed. `SUPERSEDED`: a later command took its place.
             * @example DONE
             * @enum {string}
             */
            status: "REQUESTED" | "DELIVERED" | "DONE" | "REFUSED" | "FAILED" | "TIMED_OUT" | "SUPERSEDED";
            /**
             * @description Of a command that is `SUPERSEDED`: the one that took its place, if it is known.
             * @example command-7k2m9qx4-01kb1x6a4n6p8q0r2s4t6v8w0x
             */
            supersededBy?: string;
            /**
             * Format: date-time
             * @description Time of the change. ISO 8601 in UTC.
             * @example 2026-11-27T10:31:02.300Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "command.status";
        };
        ControlMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "control";
            command: components["schemas"]["Command"];
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
        };
        ControlOutcomeMessage: {
            /** @description The device that the command was for. */
            deviceId: string;
            /**
             * @description Name of the command.
             * @example GIMBAL
             */
            name: string;
            /**
             * @description `DELIVERED`: begun; `DONE`: achieved; `REFUSED`: not attempted; `FAILED`: attempted without success; `TIMED_OUT`: nobody knows; `SUPERSEDED`: a later command took its place.
             * @example REFUSED
             * @enum {string}
             */
            outcome: "DELIVERED" | "DONE" | "REFUSED" | "FAILED" | "TIMED_OUT" | "SUPERSEDED";
            /**
             * @description Why the command was refused or has failed, if the platform says so. Others than the known values may appear: accept them.
             * @example DEVICE_BUSY
             */
            reason?: string;
            /**
             * @description The `requestId` with which the command was accepted.
             * @example command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n
             */
            requestId: string;
            /**
             * Format: date-time
             * @description Time of the change. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "control.outcome";
        };
        ControlReleasedMessage: {
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "control.released";
        };
        ControlTakenMessage: {
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "control.taken";
            /**
             * Format: date-time
             * @description When the control ends unless it is renewed: 60 seconds after it was taken or renewed last. ISO 8601 in UTC.
             * @example 2026-11-27T10:31:15.123Z
             */
            until: string;
        };
        DeviceStatusMessage: {
            /**
             * Format: double
             * @description Seconds from the device’s last report, by its `timestamp`, to when this service sent the message, to a tenth. Present with `snapshot`; left out of the state of a device that never reported.
             * @example 0.4
             */
            age?: number;
            battery?: components["schemas"]["Battery"];
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor?: string;
            /** @description Present in the message that the device was removed, or moved to another group. If it returns, its `sequence` continues. */
            deleted?: boolean;
            /**
             * @description Identifier of a device group.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            /**
             * @description What the dock does. Known values: `OPEN`, `CLOSED`, `OPENING`, `CLOSING`, `COOLING`, `CHARGING`, `TASK_INPROGRESS`. Others may appear: accept them.
             * @example OPEN
             */
            dockState?: string;
            /**
             * @description What the drone does. Known values: `MANUAL`, `GPS_NORMAL`, `WAYPOINT`, `HOVER`, `ORBIT`, `LANDED`, `DOCKED`, `RETURNING`. Others may appear: accept them.
             * @example WAYPOINT
             */
            droneState?: string;
            measuredBefore?: components["schemas"]["MeasuredBefore"];
            /**
             * @description Name of the device, for people.
             * @example North 1
             */
            name?: string;
            navigation?: components["schemas"]["Navigation"];
            /**
             * @description How far the flight has come, as the drone platform or the device says. Left out when neither has said it.
             * @example {
             *       "percent": 42,
             *       "distanceLeft": 640,
             *       "secondsLeft": 75
             *     }
             */
            progress?: {
                /**
                 * Format: double
                 * @description Metres still to fly: to `desiredLocation` until the drone is there, then to the end of the flight. Of a job without a place always to the end.
                 * @example 640
                 */
                distanceLeft?: number;
                /**
                 * Format: double
                 * @description Percent of the whole flight, 0 to 100.
                 * @example 42
                 */
                percent: number;
                /**
                 * Format: double
                 * @description Estimated seconds until the drone has flown `distanceLeft`, 0 to 86400.
                 * @example 75
                 */
                secondsLeft?: number;
            };
            /**
             * @description Present, and `true`, in what was missed while the client was not connected. Only over WebSockets, after connecting with `after`.
             * @example true
             */
            replayed?: boolean;
            sensorPayload?: components["schemas"]["SensorPayload"];
            /**
             * Format: int64
             * @description Version of the device; each device counts by itself.
             * @example 41
             */
            sequence: number;
            /**
             * @description `true` for a device that exists in a simulation only.
             * @example false
             */
            simulated?: boolean;
            /**
             * @description Present, and `true`, in the state at the time of connecting, which is not a change. Over WebSockets, and over MQTT for a job or a share.
             * @example true
             */
            snapshot?: boolean;
            /**
             * @description `online` while the device reports telemetry; `offline` after 30 seconds of silence.
             * @example online
             * @enum {string}
             */
            status: "online" | "offline";
            /**
             * Format: date-time
             * @description Time of the device’s last report; if it never reported, of the change. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "device.status";
            weather?: components["schemas"]["Weather"];
        };
        DeviceTelemetryBatchMessage: {
            /** @description The samples, each as it would be sent by itself; those of a device in the order of their `sequence`. */
            samples: components["schemas"]["DeviceTelemetryMessage"][];
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "device.telemetry.batch";
        };
        DeviceTelemetryMessage: {
            /**
             * Format: double
             * @description Seconds from the device’s last report, by its `timestamp`, to when this service sent the message, to a tenth. Present with `snapshot`; left out of the state of a device that never reported.
             * @example 0.4
             */
            age?: number;
            battery?: components["schemas"]["Battery"];
            /**
             * @description Identifier of a device group.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            /**
             * @description What the dock does. Known values: `OPEN`, `CLOSED`, `OPENING`, `CLOSING`, `COOLING`, `CHARGING`, `TASK_INPROGRESS`. Others may appear: accept them.
             * @example OPEN
             */
            dockState?: string;
            /**
             * @description What the drone does. Known values: `MANUAL`, `GPS_NORMAL`, `WAYPOINT`, `HOVER`, `ORBIT`, `LANDED`, `DOCKED`, `RETURNING`. Others may appear: accept them.
             * @example WAYPOINT
             */
            droneState?: string;
            /** @description The job that the device says it flies. */
            jobId?: string;
            measuredBefore?: components["schemas"]["MeasuredBefore"];
            navigation?: components["schemas"]["Navigation"];
            /**
             * @description How far the flight has come, as the drone platform or the device says. Left out when neither has said it.
             * @example {
             *       "percent": 42,
             *       "distanceLeft": 640,
             *       "secondsLeft": 75
             *     }
             */
            progress?: {
                /**
                 * Format: double
                 * @description Metres still to fly: to `desiredLocation` until the drone is there, then to the end of the flight. Of a job without a place always to the end.
                 * @example 640
                 */
                distanceLeft?: number;
                /**
                 * Format: double
                 * @description Percent of the whole flight, 0 to 100.
                 * @example 42
                 */
                percent: number;
                /**
                 * Format: double
                 * @description Estimated seconds until the drone has flown `distanceLeft`, 0 to 86400.
                 * @example 75
                 */
                secondsLeft?: number;
            };
            /**
             * Format: date-time
             * @description When this service received the report. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.208Z
             */
            receivedAt: string;
            sensorPayload?: components["schemas"]["SensorPayload"];
            /**
             * Format: int64
             * @description The `timestamp` in Unix milliseconds, so more than 32 bits.
             * @example 1795775415123
             */
            sequence: number;
            /**
             * @description `true` for a device that exists in a simulation only.
             * @example false
             */
            simulated?: boolean;
            /**
             * @description Present, and `true`, in the last known state at the time of subscribing, which is not a new sample.
             * @example true
             */
            snapshot?: boolean;
            /**
             * Format: date-time
             * @description Time of the report by the device’s clock.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "device.telemetry";
            weather?: components["schemas"]["Weather"];
        };
        ErrorMessage: {
            /**
             * @description Stable code of the error. Branch on it.
             * @example forbidden
             * @enum {string}
             */
            code: "invalid_request" | "unknown_action" | "forbidden" | "unauthorized" | "resource_not_found" | "device_group_not_found" | "too_many_requests" | "cannot_command" | "held_by" | "share_not_found" | "internal_error";
            /** @description What is wrong with each part of the message, or why it is forbidden. Present with `invalid_request`, `unknown_action` and `forbidden`. */
            details?: components["schemas"]["MessageFault"][];
            /**
             * @description Text for people. Branch on `code`.
             * @example Forbidden
             */
            error: string;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description Only with `internal_error`. Name it when you report the problem.
             * @example 0b1f2c9e-5a3d-4c7e-9a54-3f7d1c2b8e60
             */
            requestId?: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "error";
        };
        ExpiringMessage: {
            /**
             * Format: date-time
             * @description When the socket will be closed.
             * @example 2026-11-20T10:31:40.000Z
             */
            expiresAt: string;
            /**
             * @description `token`: its token ends; `connection`: two hours have passed since its handshake.
             * @example token
             * @enum {string}
             */
            reason: "token" | "connection";
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "expiring";
        };
        FlightMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "flight";
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
        };
        GapMessage: {
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "gap";
        };
        HeartbeatMessage: {
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "heartbeat";
        };
        JobStatusMessage: {
            /**
             * @description Identifier of the command that ended the flight, if one did: `reason` is `ABORTED_BY_COMMAND` then.
             * @example command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n
             */
            commandId?: string;
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor?: string;
            /**
             * @description Present, and `true`, in the final message alone: the resource was deleted.
             * @example true
             */
            deleted?: boolean;
            /**
             * @description Identifier of a device group.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /**
             * @description Device of the job, if it names one; in a message with a position, the device that reported it.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId?: string;
            /**
             * @description What the dock does. Known values: `OPEN`, `CLOSED`, `OPENING`, `CLOSING`, `COOLING`, `CHARGING`, `TASK_INPROGRESS`. Others may appear: accept them.
             * @example OPEN
             */
            dockState?: string;
            /**
             * @description What the drone does. Known values: `MANUAL`, `GPS_NORMAL`, `WAYPOINT`, `HOVER`, `ORBIT`, `LANDED`, `DOCKED`, `RETURNING`. Others may appear: accept them.
             * @example WAYPOINT
             */
            droneState?: string;
            /**
             * @description Identifier of the job, assigned by the service. Treat it as opaque.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId: string;
            /**
             * @description Status of the job.
             * @example IN_PROGRESS
             * @enum {string}
             */
            jobState: "PENDING" | "QUEUED" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED";
            measuredBefore?: components["schemas"]["MeasuredBefore"];
            navigation?: components["schemas"]["Navigation"];
            /**
             * @description Present in a message about a change from one status to another: the status before it.
             * @example QUEUED
             * @enum {string}
             */
            previousState?: "PENDING" | "QUEUED" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED";
            /**
             * @description How far the flight has come, as the drone platform or the device says. Left out when neither has said it.
             * @example {
             *       "percent": 42,
             *       "distanceLeft": 640,
             *       "secondsLeft": 75
             *     }
             */
            progress?: {
                /**
                 * Format: double
                 * @description Metres still to fly: to `desiredLocation` until the drone is there, then to the end of the flight. Of a job without a place always to the end.
                 * @example 640
                 */
                distanceLeft?: number;
                /**
                 * Format: double
                 * @description Percent of the whole flight, 0 to 100.
                 * @example 42
                 */
                percent: number;
                /**
                 * Format: double
                 * @description Estimated seconds until the drone has flown `distanceLeft`, 0 to 86400.
                 * @example 75
                 */
                secondsLeft?: number;
            };
            /**
             * @description Why the job failed, if that is known: `LINK_LOSS`, `LOW_BATTERY`, `DOCK_FAULT`, `DEVICE_FAULT`, `WEATHER`, `ABORTED`, `ABORTED_BY_COMMAND`, `UNREACHABLE`, `NOT_TAKEN`, `DEVICE_REMOVED`, `DEVICE_MOVED`, `GROUP_REMOVED` or another code of your drone platform.
             * @example LINK_LOSS
             */
            reason?: string;
            /**
             * @description The same for people, in the words of the drone platform.
             * @example Lost over the dam
             */
            reasonText?: string;
            /**
             * @description Present, and `true`, in what was missed while the client was not connected. Only over WebSockets, after connecting with `after`.
             * @example true
             */
            replayed?: boolean;
            /**
             * Format: date-time
             * @description When the status was reached, as the drone platform reported it; only of a status that it did report. By the clock of the platform, which may be up to 60 seconds off.
             * @example 2026-11-27T10:30:00.000Z
             */
            reportedAt?: string;
            /**
             * Format: int64
             * @description Version of the job. It grows with every change, also with those that send no message, so a gap is not always a loss. A message with a position repeats the `sequence` of the state and has a later `timestamp`.
             * @example 3
             */
            sequence: number;
            /**
             * @description `true` for a device that exists in a simulation only.
             * @example false
             */
            simulated?: boolean;
            /**
             * @description Present, and `true`, in the state at the time of connecting, which is not a change. Over WebSockets, and over MQTT for a job or a share.
             * @example true
             */
            snapshot?: boolean;
            /**
             * Format: date-time
             * @description Time of the change; in a message with a position, the time of the device’s report. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "job.status";
        };
        /** @description What the drone platform reported after the command had ended. `status` stays as it was. */
        LateOutcome: {
            /**
             * Format: date-time
             * @description When the drone platform says that it happened.
             * @example 2026-11-27T10:36:40.000Z
             */
            at: string;
            /**
             * @description What the platform reported; values as of `status`.
             * @example DONE
             * @enum {string}
             */
            outcome: "DELIVERED" | "DONE" | "REFUSED" | "FAILED" | "SUPERSEDED";
            /**
             * @description Why it was refused or has failed, if that is known. `NOT_SUPPORTED`: The device or the platform has no such command. `NOT_ALLOWED`: The platform does not allow it now. `DEVICE_OFFLINE`: The device can’t be reached. `DEVICE_BUSY`: The device does something that it can’t leave. `TOO_LATE`: It could not be begun in time. `OUT_OF_ORDER`: A later command had been taken before. `OUT_OF_RANGE`: The place is farther than the device flies. `DEVICE_FAULT`: The device did not work. `SHARE_ENDED`: The share that it came through ended before it was delivered. Others may be added: accept them.
             * @example DEVICE_BUSY
             */
            reason?: string;
        };
        LiveVideo: {
            /**
             * Format: date-time
             * @description When the URL stops working, 300 seconds after it was issued. Send `playback` for a new one.
             * @example 2026-11-27T10:35:15.123Z
             */
            expiresAt: string;
            /**
             * @description Protocol of the video, HTTP Live Streaming.
             * @constant
             */
            protocol: "HLS";
            /**
             * Format: uri
             * @description Address of the HLS playlist. It can’t be revoked, so it lives only 300 seconds.
             * @example https://video.drone-missions.example/hls/v1/getHLSMasterPlaylist.m3u8?SessionToken=example
             */
            url: string;
        };
        /** @description What was measured before `timestamp`, and by how many seconds, to a thousandth: by its path, such as `battery`, or a value of it that is older still, such as `battery.voltage`. What is not named was measured at `timestamp`. */
        MeasuredBefore: {
            [key: string]: number;
        };
        MessageFault: {
            /**
             * @description What is wrong.
             * @example is not a device of yours
             */
            message: string;
            /**
             * @description The faulty field as a path such as `telemetry.0.battery.percent`; empty for the whole message.
             * @example telemetry.0.deviceId
             */
            path: string;
        };
        /** @description Where the drone is and how it moves. */
        Navigation: {
            orientation?: components["schemas"]["Orientation"];
            position?: components["schemas"]["Position"];
            velocity?: components["schemas"]["Velocity"];
        };
        /** @description Orientation. */
        Orientation: {
            /**
             * Format: double
             * @description Degrees clockwise from true north, 0 to 360.
             * @example 270.5
             */
            heading?: number;
            /**
             * Format: double
             * @description Degrees, positive with the nose up, -180 to 180.
             * @example -2.1
             */
            pitch?: number;
            /**
             * Format: double
             * @description Degrees, positive to the right, -180 to 180.
             * @example 0.3
             */
            roll?: number;
        };
        PingMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "ping";
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
        };
        PlaybackMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "playback";
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
        };
        PongMessage: {
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * Format: date-time
             * @description The time by the clock of this service, when it answered.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "pong";
        };
        /** @description Position as a GeoJSON point (RFC 7946). */
        Position: {
            /**
             * @description Longitude (-180 to 180) and latitude (-90 to 90) in degrees, then altitude in metres above mean sea level (-500 to 20000): three numbers in this order, as in GeoJSON.
             * @example [
             *       8.5417,
             *       47.3769,
             *       485.5
             *     ]
             */
            coordinates: number[];
            /**
             * @description Always `Point`.
             * @constant
             */
            type: "Point";
        };
        PublishedMessage: {
            /**
             * Format: int32
             * @description How many of the samples were new: later than the last one of their device, or with a position that was not in the record of a flight.
             * @example 1
             */
            accepted: number;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * Format: int32
             * @description How many of them have a position that is new in the record of the job’s or of the device’s flight.
             * @example 1
             */
            recorded: number;
            /** @description What is wrong with the samples that are not accepted. Left out when all are. */
            refused?: components["schemas"]["RefusedSample"][];
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "published";
            /** @description What to know of samples that are accepted. Left out when there is nothing. */
            warnings?: components["schemas"]["PublishWarning"][];
        };
        PublishMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "publish";
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /** @description One sample, or a list of samples. */
            telemetry: components["schemas"]["Sample"] | components["schemas"]["Sample"][];
        };
        PublishWarning: {
            /**
             * @description What it is about. `clock_differs`: for a minute, the newest sample of each message of this device was as many seconds behind.
             * @example clock_differs
             */
            code: string;
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            /**
             * Format: double
             * @description By how many seconds the clock of the device is behind the service’s, to a tenth; negative when it is ahead. Samples that always take that long to arrive look the same.
             * @example 45.2
             */
            seconds: number;
        };
        RefusedSample: {
            /**
             * Format: int32
             * @description The place of the sample in the list, from 0.
             * @example 2
             */
            index: number;
            /**
             * @description What is wrong.
             * @example is more than 60 seconds in the future
             */
            message: string;
            /**
             * @description The faulty field as a path such as `telemetry.2.battery.percent`.
             * @example telemetry.2.timestamp
             */
            path: string;
        };
        ReleaseControlMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "releaseControl";
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
        };
        ResumedMessage: {
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "resumed";
        };
        Sample: {
            /** @description State of the battery. */
            battery?: {
                /**
                 * Format: double
                 * @description Charge in percent, 0 to 100.
                 * @example 81
                 */
                percent?: number | null;
                /**
                 * Format: double
                 * @description Remaining flight time in seconds, 0 to 86400.
                 * @example 1260
                 */
                remainingFlightTime?: number | null;
                /**
                 * Format: double
                 * @description Volts, 0 to 1000.
                 * @example 24.1
                 */
                voltage?: number | null;
            } | null;
            /** @description A device of your organisation. */
            deviceId: string;
            /**
             * @description What the dock does: one of the known values, `OPEN`, `CLOSED`, `OPENING`, `CLOSING`, `COOLING`, `CHARGING`, `TASK_INPROGRESS`, or one of your own.
             * @example OPEN
             */
            dockState?: string | null;
            /**
             * @description What the drone does: one of the known values, `MANUAL`, `GPS_NORMAL`, `WAYPOINT`, `HOVER`, `ORBIT`, `LANDED`, `DOCKED`, `RETURNING`, or one of your own.
             * @example WAYPOINT
             */
            droneState?: string | null;
            /** @description The job that the device flies. While that job is `IN_PROGRESS`, its channel shows the position of the device. */
            jobId?: string | null;
            /** @description Where the drone is and how it moves. */
            navigation?: {
                /** @description Orientation. */
                orientation?: {
                    /**
                     * Format: double
                     * @description Degrees clockwise from true north, 0 to 360.
                     * @example 270.5
                     */
                    heading?: number | null;
                    /**
                     * Format: double
                     * @description Degrees, positive with the nose up, -180 to 180.
                     * @example -2.1
                     */
                    pitch?: number | null;
                    /**
                     * Format: double
                     * @description Degrees, positive to the right, -180 to 180.
                     * @example 0.3
                     */
                    roll?: number | null;
                } | null;
                /** @description Position as a GeoJSON point (RFC 7946). */
                position?: {
                    /**
                     * @description Longitude (-180 to 180) and latitude (-90 to 90) in degrees, then altitude in metres above mean sea level (-500 to 20000): three numbers in this order, as in GeoJSON.
                     * @example [
                     *       8.5417,
                     *       47.3769,
                     *       485.5
                     *     ]
                     */
                    coordinates: number[];
                    /**
                     * @description Says what this object is.
                     * @constant
                     */
                    type: "Point";
                } | null;
                /** @description Velocity. */
                velocity?: {
                    /**
                     * Format: double
                     * @description Speed over ground in metres per second, 0 to 200.
                     * @example 12.5
                     */
                    groundSpeed?: number | null;
                    /**
                     * Format: double
                     * @description Metres per second, positive upwards, -200 to 200.
                     * @example -0.5
                     */
                    verticalSpeed?: number | null;
                } | null;
            } | null;
            /**
             * @description How far the flight has come, as the drone platform or the device says. Left out when neither has said it.
             * @example {
             *       "percent": 42,
             *       "distanceLeft": 640,
             *       "secondsLeft": 75
             *     }
             */
            progress?: {
                /**
                 * Format: double
                 * @description Metres still to fly: to `desiredLocation` until the drone is there, then to the end of the flight. Of a job without a place always to the end.
                 * @example 640
                 */
                distanceLeft?: number | null;
                /**
                 * Format: double
                 * @description Percent of the whole flight, 0 to 100.
                 * @example 42
                 */
                percent: number;
                /**
                 * Format: double
                 * @description Estimated seconds until the drone has flown `distanceLeft`, 0 to 86400.
                 * @example 75
                 */
                secondsLeft?: number | null;
            } | null;
            /** @description Data of sensors: `camera`, and whatever else you have; as JSON at most 8 KiB together. */
            sensorPayload?: ({
                /** @description The camera. */
                camera?: ({
                    /** @description Orientation. */
                    orientation?: {
                        /**
                         * Format: double
                         * @description Degrees clockwise from true north, 0 to 360.
                         * @example 270.5
                         */
                        heading?: number | null;
                        /**
                         * Format: double
                         * @description Degrees, positive with the nose up, -180 to 180.
                         * @example -2.1
                         */
                        pitch?: number | null;
                        /**
                         * Format: double
                         * @description Degrees, positive to the right, -180 to 180.
                         * @example 0.3
                         */
                        roll?: number | null;
                    } | null;
                } & {
                    [key: string]: unknown;
                }) | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /**
             * @description `true` for a device that exists in a simulation only.
             * @example false
             */
            simulated?: boolean | null;
            /**
             * Format: date-time
             * @description When the device measured the sample: a date and time with `Z` or an offset, at most 60 seconds ahead of the service’s clock.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /** @description Weather that the device reports. */
            weather?: {
                /**
                 * Format: double
                 * @description Relative humidity in percent, 0 to 100.
                 * @example 61
                 */
                humidity?: number | null;
                /**
                 * Format: double
                 * @description Rain in millimetres per hour, 0 to 1000.
                 * @example 0
                 */
                rain?: number | null;
                /**
                 * Format: double
                 * @description Degrees Celsius, -100 to 100.
                 * @example 17.5
                 */
                temperature?: number | null;
                /**
                 * Format: double
                 * @description Degrees from which the wind blows, clockwise from true north, 0 to 360.
                 * @example 225
                 */
                windDirection?: number | null;
                /**
                 * Format: double
                 * @description Metres per second, 0 to 150.
                 * @example 4.2
                 */
                windSpeed?: number | null;
            } | null;
        };
        /** @description Data of sensors. Fields other than `camera` are specific to the vendor. */
        SensorPayload: {
            camera?: components["schemas"]["Camera"];
        };
        ShareFlightMessage: {
            /**
             * @description Name of the shared device.
             * @example Kestrel 1
             */
            deviceName: string;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description Name of the job that the last sample of the device names. Left out when there is none.
             * @example Roof survey
             */
            jobName?: string;
            /** @description Where the device flies to for its job, while that is `IN_PROGRESS`. Left out of a job without a `desiredLocation`. */
            place?: {
                /**
                 * @description What the drone does at `desiredLocation`: `HOVER` there, `ORBIT` around it, or fly the `MISSION` from there. A location alone means `HOVER`; a location with a `missionId` means `MISSION`.
                 * @example MISSION
                 */
                actionOnArrival: string;
                /**
                 * @description Longitude and latitude in degrees.
                 * @example [
                 *       8.5438,
                 *       47.3781
                 *     ]
                 */
                coordinates: number[];
            };
            /**
             * @description The way from where the flight began to `place`, as longitude and latitude in degrees. Left out while the flight or its way is not known.
             * @example [
             *       [
             *         8.541694,
             *         47.376887
             *       ],
             *       [
             *         8.5438,
             *         47.3781
             *       ]
             *     ]
             */
            route?: number[][];
            takeOff?: components["schemas"]["TakeOff"];
            /** @description Positions since the take-off, oldest first, five seconds apart or more. Empty when the device is not in flight. */
            track: components["schemas"]["TrackPoint"][];
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "share.flight";
        };
        SharePlaybackMessage: {
            /**
             * @description `no_video_stream` while there is nothing to play.
             * @example no_video_stream
             * @constant
             */
            code?: "no_video_stream";
            /**
             * @description Text for people while there is nothing to play.
             * @example The device has no video stream
             */
            error?: string;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /** @description Where the live video can be played; `null` while the device has none. */
            playback: components["schemas"]["LiveVideo"] | null;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "share.playback";
        };
        ShareStatusMessage: {
            /**
             * Format: int32
             * @description Viewers that watch the share now. It follows reality within two seconds.
             * @example 2
             */
            currentViewers: number;
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor?: string;
            /**
             * @description Present, and `true`, in the final message alone: the resource was deleted.
             * @example true
             */
            deleted?: boolean;
            /**
             * Format: date-time
             * @description When the share ends. ISO 8601 in UTC.
             * @example 2026-11-27T11:30:15.123Z
             */
            expiresAt: string;
            /**
             * Format: int32
             * @description How many viewers may watch at the same time, 1 to 1000. Further ones are refused until one leaves.
             * @example 10
             */
            maxViewers: number;
            /**
             * @description Present, and `true`, in what was missed while the client was not connected. Only over WebSockets, after connecting with `after`.
             * @example true
             */
            replayed?: boolean;
            /**
             * Format: int64
             * @description Version of the share.
             * @example 4
             */
            sequence: number;
            /**
             * @description Identifier of the share, and all that a viewer needs: treat it like a password.
             * @example share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL
             */
            shareCode: string;
            /**
             * @description `ACTIVE`; in the final message `REVOKED` or `EXPIRED`.
             * @example ACTIVE
             * @enum {string}
             */
            shareState: "ACTIVE" | "REVOKED" | "EXPIRED";
            /**
             * @description Present, and `true`, in the state at the time of connecting, which is not a change. Over WebSockets, and over MQTT for a job or a share.
             * @example true
             */
            snapshot?: boolean;
            /**
             * Format: date-time
             * @description Time of the change. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "share.status";
        };
        SnapshotEndMessage: {
            /**
             * Format: int32
             * @description How many snapshots were sent: devices that ever reported.
             * @example 2
             */
            count: number;
            /** @description The group, if the message named one. */
            deviceGroupId?: string;
            /** @description The device, if the message named one. */
            deviceId?: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "snapshot.end";
        };
        SubscribedMessage: {
            /**
             * @description Present, and `true`, when the message asked for batches.
             * @example true
             */
            batch?: boolean;
            /** @description The group, if the message named one. */
            deviceGroupId?: string;
            /** @description The device, if the message named one. */
            deviceId?: string;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "subscribed";
        };
        SubscribeMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "subscribe";
            /** @description Whether samples that arrive together come as one `device.telemetry.batch`. Without it each comes alone. */
            batch?: boolean;
            /** @description A device group of your organisation, which stands for all of its devices. Either this or `deviceId`. */
            deviceGroupId?: string;
            /** @description A device of your organisation. Either this or `deviceGroupId`. */
            deviceId?: string;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
        } & (unknown | unknown);
        TakeControlMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "takeControl";
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
        };
        /** @description The take-off of the flight that the device is in. Left out when it is not in flight. */
        TakeOff: {
            /**
             * Format: double
             * @description Metres above mean sea level.
             * @example 443.2
             */
            altitude: number;
            /**
             * Format: date-time
             * @description Time of the take-off by the device’s clock. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:05.004Z
             */
            timestamp: string;
        };
        /** @description A position of the flight. */
        TrackPoint: {
            /**
             * @description Longitude (-180 to 180) and latitude (-90 to 90) in degrees, then altitude in metres above mean sea level (-500 to 20000): three numbers in this order, as in GeoJSON.
             * @example [
             *       8.5417,
             *       47.3769,
             *       485.5
             *     ]
             */
            coordinates: number[];
            /**
             * Format: double
             * @description Speed over ground in metres per second, 0 to 200.
             * @example 12.5
             */
            groundSpeed?: number;
            /**
             * Format: date-time
             * @description Time of the position by the device’s clock. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:10.011Z
             */
            timestamp: string;
        };
        UnsubscribedMessage: {
            /** @description The group, if the message named one. */
            deviceGroupId?: string;
            /** @description The device, if the message named one. */
            deviceId?: string;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "unsubscribed";
        };
        UnsubscribeMessage: {
            /**
             * @description Name of the action.
             * @constant
             */
            action: "unsubscribe";
            /** @description A device group of your organisation, which stands for all of its devices. Either this or `deviceId`. */
            deviceGroupId?: string;
            /** @description A device of your organisation. Either this or `deviceGroupId`. */
            deviceId?: string;
            /**
             * @description Any number, or a text of up to 128 characters. It comes back on the answer to the message.
             * @example 7
             */
            id?: string | number;
        } & (unknown | unknown);
        /** @description Velocity. */
        Velocity: {
            /**
             * Format: double
             * @description Speed over ground in metres per second, 0 to 200.
             * @example 12.5
             */
            groundSpeed?: number;
            /**
             * Format: double
             * @description Metres per second, positive upwards, -200 to 200.
             * @example -0.5
             */
            verticalSpeed?: number;
        };
        ViewerShareStatusMessage: {
            /** @description Only for clients that offer the subprotocol `share.broadcast`, in shares with more than 50 places, and only in the first message: where the samples are published, and the number of viewers. Connect to `/mqtt` on the same host by MQTT 3.1.1 over WebSocket with the share code as password, and subscribe to `topic`. All other messages come over this socket; the MQTT connection ends with it. */
            broadcast?: {
                /**
                 * @description The MQTT client id to connect with.
                 * @example viewer-2f1a9c0b7d3e4f5061728394a5b6c7d8
                 */
                clientId: string;
                /**
                 * @description The only MQTT topic that may be subscribed to.
                 * @example broadcast/5e884898da28047151d0e56f8dc62927
                 */
                topic: string;
                /**
                 * @description The MQTT user name to connect with.
                 * @example L0SM9cOFvHcCIhw=
                 */
                username: string;
            };
            /**
             * @description With `control`: the commands that this viewer may send, if the share names them; without it all but `LAND`. Only in the first message.
             * @example [
             *       "PAUSE",
             *       "RESUME",
             *       "RETURN_HOME"
             *     ]
             */
            commands?: string[];
            /**
             * Format: int32
             * @description Viewers that watch the share now. It follows reality within two seconds.
             * @example 2
             */
            currentViewers: number;
            /**
             * @description Present, and `true`, in the final message alone: the resource was deleted.
             * @example true
             */
            deleted?: boolean;
            /**
             * Format: date-time
             * @description When the share ends. ISO 8601 in UTC.
             * @example 2026-11-27T11:30:15.123Z
             */
            expiresAt: string;
            /**
             * Format: int32
             * @description How many viewers may watch at the same time, 1 to 1000. Further ones are refused until one leaves.
             * @example 10
             */
            maxViewers: number;
            /**
             * @description What this viewer may do: `view`, and `control` to send commands. Only in the first message.
             * @example [
             *       "view",
             *       "control"
             *     ]
             */
            permissions?: ("view" | "control")[];
            /**
             * Format: int64
             * @description Version of the share.
             * @example 4
             */
            sequence: number;
            /**
             * @description Identifier of the share, and all that a viewer needs: treat it like a password.
             * @example share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL
             */
            shareCode: string;
            /**
             * @description `ACTIVE`; in the final message `REVOKED` or `EXPIRED`.
             * @example ACTIVE
             * @enum {string}
             */
            shareState: "ACTIVE" | "REVOKED" | "EXPIRED";
            /**
             * @description `STREAM`: live video together with the status. `DEVICE_STATUS`: position and status only. Only in the first message.
             * @example STREAM
             * @enum {string}
             */
            shareType?: "STREAM" | "DEVICE_STATUS";
            /**
             * @description Present, and `true`, in the state at the time of connecting, which is not a change. Over WebSockets, and over MQTT for a job or a share.
             * @example true
             */
            snapshot?: boolean;
            /**
             * Format: date-time
             * @description Time of the change. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "share.status";
        };
        ViewerTelemetryMessage: {
            /**
             * Format: double
             * @description Seconds from the device’s last report, by its `timestamp`, to when this service sent the message, to a tenth. Present with `snapshot`; left out of the state of a device that never reported.
             * @example 0.4
             */
            age?: number;
            battery?: components["schemas"]["Battery"];
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            /**
             * @description What the dock does. Known values: `OPEN`, `CLOSED`, `OPENING`, `CLOSING`, `COOLING`, `CHARGING`, `TASK_INPROGRESS`. Others may appear: accept them.
             * @example OPEN
             */
            dockState?: string;
            /**
             * @description What the drone does. Known values: `MANUAL`, `GPS_NORMAL`, `WAYPOINT`, `HOVER`, `ORBIT`, `LANDED`, `DOCKED`, `RETURNING`. Others may appear: accept them.
             * @example WAYPOINT
             */
            droneState?: string;
            measuredBefore?: components["schemas"]["MeasuredBefore"];
            navigation?: components["schemas"]["Navigation"];
            /**
             * @description How far the flight has come, as the drone platform or the device says. Left out when neither has said it.
             * @example {
             *       "percent": 42,
             *       "distanceLeft": 640,
             *       "secondsLeft": 75
             *     }
             */
            progress?: {
                /**
                 * Format: double
                 * @description Metres still to fly: to `desiredLocation` until the drone is there, then to the end of the flight. Of a job without a place always to the end.
                 * @example 640
                 */
                distanceLeft?: number;
                /**
                 * Format: double
                 * @description Percent of the whole flight, 0 to 100.
                 * @example 42
                 */
                percent: number;
                /**
                 * Format: double
                 * @description Estimated seconds until the drone has flown `distanceLeft`, 0 to 86400.
                 * @example 75
                 */
                secondsLeft?: number;
            };
            /**
             * Format: date-time
             * @description When this service received the report. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.208Z
             */
            receivedAt: string;
            /** @description Data of sensors. Fields other than `camera` are specific to the vendor. */
            sensorPayload?: {
                /** @description The camera. */
                camera: {
                    orientation: components["schemas"]["Orientation"];
                };
            };
            /**
             * Format: int64
             * @description The `timestamp` in Unix milliseconds, so more than 32 bits.
             * @example 1795775415123
             */
            sequence: number;
            /**
             * @description `true` for a device that exists in a simulation only.
             * @example false
             */
            simulated?: boolean;
            /**
             * @description Present, and `true`, in the last known state at the time of connecting, which is not a new sample.
             * @example true
             */
            snapshot?: boolean;
            /**
             * Format: date-time
             * @description Time of the report by the device’s clock.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what this object is.
             * @constant
             */
            type: "device.telemetry";
            weather?: components["schemas"]["Weather"];
        };
        /** @description Weather that the device reports. */
        Weather: {
            /**
             * Format: double
             * @description Relative humidity in percent, 0 to 100.
             * @example 61
             */
            humidity?: number;
            /**
             * Format: double
             * @description Rain in millimetres per hour, 0 to 1000.
             * @example 0
             */
            rain?: number;
            /**
             * Format: double
             * @description Degrees Celsius, -100 to 100.
             * @example 17.5
             */
            temperature?: number;
            /**
             * Format: double
             * @description Degrees from which the wind blows, clockwise from true north, 0 to 360.
             * @example 225
             */
            windDirection?: number;
            /**
             * Format: double
             * @description Metres per second, 0 to 150.
             * @example 4.2
             */
            windSpeed?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
