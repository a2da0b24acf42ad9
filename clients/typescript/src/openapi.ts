// Generated from docs/api/openapi.json by `npm run types -w drone-mission-client`: change that document instead.

export interface paths {
    "/v3/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description Issues an access token by the OAuth 2.0 client credentials grant. Send the API key in `x-api-key`; send `client_id` and `client_secret` either in the body, as JSON or as a form, or by HTTP Basic, but not both ways in one request.
         *
         *     The token carries all scopes of the client, and the reply says them in `scope`: `scope` and other unknown parameters of the request are ignored. There is no refresh token. Keep the token and use it for all calls until shortly before it expires, instead of requesting one for each call.
         *
         *     API key and client must belong together, otherwise the answer is 403, as it is for a suspended client.
         *
         *     Limit: 50 requests a second per API key, with bursts of 100; beyond that 429 without `Retry-After`: wait a second.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/devices/{deviceId}/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a device can do
         * @description Returns the names of the commands that a device obeys and its range, as the drone platform registered them. What is left out is not known: then the platform alone decides about a command.
         *
         *     Scope: `resources:read`.
         */
        get: operations["getCapabilities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/devices/{deviceId}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the commands of a device, newest first
         * @description Returns a page of the commands of a device, whoever sent them, for 90 days; also of a device that was removed since.
         *
         *     Scope: `command:read`.
         */
        get: operations["listDeviceCommands"];
        put?: never;
        /**
         * Send a command to a device in flight
         * @description Takes a command on, which is not yet its execution: follow `command.status` on the channel of its job or of its device group, or read it again. Every command ends, with `DONE` when it is achieved, not when it is begun.
         *
         *     The drone platform refuses a command that it could not begin within 10 seconds. One without an outcome within `timeoutSeconds` is `TIMED_OUT`: nobody knows whether it was executed. An outcome that comes later is in `lateOutcome`.
         *
         *     In flight is what the device reported last. `PAUSE`, `RETURN_HOME` and `LAND` are also taken while a job that names the device is `IN_PROGRESS`: it may have taken off since. `RETURN_HOME` and `LAND` are refused only for a device on the ground without such a job, and end as `SUPERSEDED` whatever is pending; while one of them has not ended, only it can be paused, resumed, or replaced by the other. All other commands need a device in flight. Without `jobId` the service fills in the job that the device flies.
         *
         *     A device takes 600 commands a minute of all clients; `PAUSE`, `RETURN_HOME` and `LAND` are not counted there. `all` scopes don’t include `command:control`: your operator grants it by name.
         *
         *     Scope: `command:control`. Limit: 1200 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        post: operations["sendCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/devices/{deviceId}/commands/{commandId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a command
         * @description Returns a command as it is now.
         *
         *     Scope: `command:read`.
         */
        get: operations["getCommand"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/devices/{deviceId}/control": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who holds the control of a device
         * @description Returns who holds the device now, and until when; without a holder only `deviceId`.
         *
         *     Scope: `command:read`.
         */
        get: operations["getControl"];
        /**
         * Hold the control of a device
         * @description Makes your client the only one that commands the device, for 60 seconds; call it again to go on holding it. Commands of others are 409 `held_by`, except `PAUSE` and `RETURN_HOME`, and `LAND` of your organisation’s clients. It takes the control from a viewer, but from no other client. When it ends, the flight goes on as it was. Nobody has to hold a device to command it: without a holder the last command wins.
         *
         *     Scope: `command:control`.
         */
        put: operations["holdControl"];
        post?: never;
        /**
         * Release the control of a device
         * @description Ends what your client or a viewer holds; without a holder it changes nothing. Another client’s is 409 `held_by`. The flight goes on as it was.
         *
         *     Scope: `command:control`.
         */
        delete: operations["releaseControl"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what has happened, oldest first
         * @description Returns the changes in your organisation after a cursor, in the order in which they became known: of the status of jobs (scope `command:read`), of devices (`resources:read`: online, offline, registered, changed, removed) of shares (`share:read`: created, ended) and of commands (`command:read` or `resources:read`), with the same payload as on the channels. Positions and numbers of viewers are not in the log.
         *
         *     Without `after` the reply is empty and its `cursor` is that of now; with `after=oldest` it begins with the oldest event. Go on with the `cursor` of the reply, also of an empty one: it may have passed events that the token does not allow. There is more for certain when `count` is `limit`.
         *
         *     With `wait`, up to 20 seconds, the call is held until there is something: follow your organisation without a connection. At most five calls of a client wait at the same time. When too many calls of all clients wait, it is answered at once: ask again after five seconds.
         *
         *     The log keeps an event for seven days. A cursor that is older is 410: begin with `after=oldest`, or read the current state.
         *
         *     Scope: one of `command:read`, `share:read`, `resources:read`. Limit: 120 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs, newest first
         * @description Returns a page of the organisation’s jobs, newest first. Each element is a summary: read a job for all its fields.
         *
         *     `status`, `deviceGroupId` and `deviceId` filter the list, in any combination; an identifier that names nothing of yours finds nothing.
         *
         *     While there are more, the reply has a `nextToken`; pass it with the same filters to get the next page. A token of another list or filter is 400. A page may hold fewer elements than `limit`, or none, although there are more: with a device or a group a call looks at 1000 jobs at most. Go on until a reply has no `nextToken`.
         *
         *     Without `status` the list is current. Filtered by `status` it may lag behind, usually by less than a second.
         *
         *     Scope: `command:read`.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job
         * @description Returns all fields of a job. Optional fields that were never set are left out. The header `ETag` holds the version, for `If-Match` of a later change.
         *
         *     `progress` of a job in flight is the newest that its device or the drone platform has said, so it can change while `version` stays.
         *
         *     Scope: `command:read`.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Delete a job
         * @description Deletes a job in any status. It is gone at once: reading it is 404, and its channel gets a final message with `deleted`. The drone platform is told. A drone that is flying the job gets the command `RETURN_HOME`, whose `origin` is `service`, and what it still reports about the job is ignored. To keep the record of a job that has not started, cancel it instead.
         *
         *     Scope: `command:update`.
         */
        delete: operations["deleteJob"];
        options?: never;
        head?: never;
        /**
         * Change a job
         * @description Changes the given fields and leaves the others as they are. `metadata` is replaced as a whole, not merged. `{}` and the status that the job already has change nothing; any other field counts as a change, and `version` grows.
         *
         *     `status` moves only along the lifecycle: `PENDING` → `QUEUED`, `CANCELLED`, `FAILED`; `QUEUED` → `IN_PROGRESS`, `CANCELLED`, `FAILED`; `IN_PROGRESS` → `COMPLETED`, `FAILED`. Another move is 400 with both statuses in `details`. Once the drone platform has reported on a job, its status is the platform’s word: only `CANCELLED` can be set, while the job is `QUEUED`, and another status is 400 with what to do in `details`. Setting `CANCELLED` has the same effect as cancelling, but a job that can’t be cancelled is refused with `invalid_request` instead of `Cannot cancel job`, one that is cancelled already is answered with 200, and the reply has no `cancelledAt`.
         *
         *     A job can be changed in every status, also when it is final. `deviceId`, `deviceGroupId`, `missionId`, `scheduledAt`, `desiredLocation`, `actionOnArrival` and `flight` can’t be changed: cancel the job and create another.
         *
         *     Scope: `command:update`.
         */
        patch: operations["updateJob"];
        trace?: never;
    };
    "/v3/jobs/{jobId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job that is PENDING or QUEUED
         * @description Cancels a job that is `PENDING` or `QUEUED`. A job in any other status, also one that is cancelled already, is 400 `Cannot cancel job`. A job in flight can’t be cancelled: `details` names the command that ends the flight, `RETURN_HOME`. The request needs no body; one that is sent is ignored.
         *
         *     Scope: `command:update`.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/jobs/{jobId}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the commands of a job, newest first
         * @description Returns the newest hundred commands that devices got while they flew the job. Of a job without a `deviceId`: those of the devices that are in its group now.
         *
         *     Scope: `command:read`.
         */
        get: operations["listJobCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/jobs/{jobId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a job, oldest first
         * @description Returns the timeline of a job: each change of its status, from its creation on, with the same payload as on its channel. It is kept as long as the track, 90 days unless your operator has changed that.
         *
         *     Scope: `command:read`.
         */
        get: operations["listJobEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/jobs/{jobId}/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the track of a job’s flight
         * @description Returns where the drone was while the job was `IN_PROGRESS`: a position a second, as far as the device reported them. It can be read during the flight, and for 90 days after it unless your operator chose otherwise. A job that has not flown has no positions.
         *
         *     `Accept` selects the format: GeoJSON (`application/geo+json`, the default, or `application/json`), KML with a `gx:Track` for Google Earth (`application/vnd.google-earth.kml+xml`), or CSV (`text/csv`). `format` does the same in the query, and goes before `Accept`: for clients that choose no header. In GeoJSON each device that flew the job is a feature with a `LineString`; its `coordinateProperties` hold what was known at each of its positions, with `null` for what was not.
         *
         *     More than 10 seconds without a position break the line, and so does 180° of longitude: the feature has a `MultiLineString` then, whose `coordinateProperties` have a list for each line, and KML a `gx:MultiTrack`. A line needs two positions: those that stand alone are one more feature of the device, with a `MultiPoint`, and in KML points. Where a line crosses 180°, GeoJSON and KML end it and begin the next with a position that was not recorded, with time and altitude by its neighbours. CSV has what was recorded only.
         *
         *     A device’s track of more than 10,000 positions is thinned out evenly to that many, with both ends of each line; `recorded` is the number of positions before that. Of a flight of more than ten hours it is the last ten.
         *
         *     Scope: `command:read`.
         */
        get: operations["getJobTrack"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/jobs/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check whether a job could be flown
         * @description Takes the body of creating a job, creates nothing, and says what would become of the job: the drone platform checks the flight, the service its devices. What creating would refuse is refused with the same answer. `feasible` is true only when there is no finding. Without an answer of the platform within two seconds there is the finding `UNDECIDED`: the job may be feasible or not, so ask again, or create it.
         *
         *     `candidates` are the devices of the group, or the one that `deviceId` names, with the `reason` of each that is not free now, nearest first to `desiredLocation`, or without it to the first waypoint of a mission of this service. When none is free now, there is the finding `NO_DEVICE`; not for a job whose `scheduledAt` is in the future, of which nobody knows what devices will do then. A job without a place has no candidates: the platform alone judges it.
         *
         *     The answer holds for the moment. The platform checks again when it takes the job, and fails one that no longer can be flown with the code of the finding as its `reason`.
         *
         *     Scopes: `command:create` and `resources:read`. Limit: 60 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        post: operations["checkJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/jobs/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a job
         * @description Creates a job with the status `PENDING`. The drone platform then queues and flies it, at `scheduledAt` or as soon as possible; follow it on the job’s channel instead of polling.
         *
         *     `desiredLocation` says where to fly, `actionOnArrival` what to do there, and `flight` how. What would have no effect is 400: an `orbitRadius` without `ORBIT`, a `missionId` with `HOVER`. A `missionId` of a mission of this service is flown in the version that it has now; any other text is for your operator. `deviceId` must be a device of the device group, otherwise the answer is 400. A device group of another organisation is 403, an unknown one 404. An unknown field is 400, because a misspelt `scheduledAt` must not be lost silently.
         *
         *     Scope: `command:create`. Limit: 60 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        post: operations["createJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/jobs/dispatch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dispatch the nearest free device to a place
         * @description Creates a job for the device that would arrive first at `desiredLocation`, or without it at the first waypoint of a mission of this service, of those that are online, on the ground, charged and named by no open job. Two calls never take the same device. The body is that of creating a job; `deviceGroupId` limits the search to a group, `maxEtaSeconds` to devices that arrive in time. `deviceId` and `scheduledAt` are refused.
         *
         *     `etaSeconds` is an estimate: 30 seconds, and the distance in a straight line at `flight.speed`, or at 10 m/s. `candidates` are the nearest devices, with the `reason` of each that was passed over. When none is free the answer is 409 with the same reasons. A job that the drone platform has not queued within 60 seconds becomes `FAILED` with the reason `NOT_TAKEN`, and its device is free again.
         *
         *     Scopes: `command:create` and `resources:read`. Limit: 60 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        post: operations["dispatchJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the limits of the client and what is left of them
         * @description Returns every limit of the calling client: how often it may call what in a minute, its WebSocket connections, its MQTT subscriptions, and the bounds of shares. Asking is not limited and uses up nothing.
         *
         *     The numbers are those by which the service refuses, at the time of the call. An MQTT subscription, or its end, counts a moment later, when AWS IoT has reported it. A connection that broke without a close counts until the service notices.
         *
         *     AWS counts token requests and does not tell how many are left, so that entry has neither `remaining` nor `resetAt`.
         *
         *     Scope: one of `command:create`, `command:read`, `command:update`, `command:control`, `stream:share`, `stream:publish`, `share:read`, `share:manage`, `resources:read`.
         */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/missions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List missions, newest first
         * @description Returns a page of the organisation’s missions, newest first, without their waypoints. While there are more, the reply has a `nextToken`; pass it to get the next page.
         *
         *     Scope: `command:read`.
         */
        get: operations["listMissions"];
        put?: never;
        /**
         * Create a mission from a file
         * @description Stores a mission: a line of waypoints, which jobs fly by its `missionId`. The body is the file: GeoJSON (`application/geo+json`), KML (`application/vnd.google-earth.kml+xml`), DJI WPML in a KMZ (`application/vnd.google-earth.kmz`), or a QGroundControl plan (`application/json`), of at most 4 MB, with 2 to 5000 waypoints. A plan is text, in which quotation marks and line ends count twice: 3 MB always fit. What a mission can’t keep, such as a survey area, is refused; commands of cameras are not kept.
         *
         *     Heights keep the reference that the file has, which is `heightReference`; none is converted, and a file that mixes them is 400. `JOB` means that the file has no heights, as KML without `altitudeMode`: they come from `flight.height` of the job.
         *
         *     `name` is the file’s own unless the parameter says another.
         *
         *     Scope: `command:create`. Limit: 60 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        post: operations["createMission"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/missions/{missionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a mission
         * @description Returns the latest version of a mission. `Accept` selects the format: GeoJSON (`application/geo+json`, the default, or `application/json`) or KML (`application/vnd.google-earth.kml+xml`). `format` does the same in the query, and goes before `Accept`; `format=original` returns the file as it was sent, byte for byte. A KMZ is binary: send `Accept: application/vnd.google-earth.kmz`, first, to get it.
         *
         *     In GeoJSON the third coordinate is the height above `heightReference` of the properties; with `JOB` there is none.
         *
         *     Scope: `command:read`.
         */
        get: operations["getMission"];
        /**
         * Replace a mission by another file
         * @description Stores a new version of a mission. Jobs that exist keep the version that they were created with. Jobs fly a version until 90 days after it was replaced or deleted, and until 90 days after the latest `scheduledAt` of a job that names it. Its file can’t be read any more; the operator of the service can restore it for 95 days.
         *
         *     The body is the file: GeoJSON (`application/geo+json`), KML (`application/vnd.google-earth.kml+xml`), DJI WPML in a KMZ (`application/vnd.google-earth.kmz`), or a QGroundControl plan (`application/json`), of at most 4 MB, with 2 to 5000 waypoints. A plan is text, in which quotation marks and line ends count twice: 3 MB always fit. What a mission can’t keep, such as a survey area, is refused; commands of cameras are not kept.
         *
         *     Scope: `command:update`. Limit: 60 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        put: operations["replaceMission"];
        post?: never;
        /**
         * Delete a mission
         * @description Deletes a mission: it can’t be read any more, and no new job can name it. Jobs that exist keep the version that they were created with. Jobs fly a version until 90 days after it was replaced or deleted, and until 90 days after the latest `scheduledAt` of a job that names it. Its file can’t be read any more; the operator of the service can restore it for 95 days.
         *
         *     Scope: `command:update`.
         */
        delete: operations["deleteMission"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the device groups of the organisation with their devices
         * @description Returns all device groups with their devices in one reply, in the order of their creation; there are no pages. This is where `deviceGroupId` and `deviceId` come from.
         *
         *     With `include=state` each device has its `lastState`: what it reported last, and when, without `sensorPayload`. Ask for it once, and follow the telemetry of the group from then on, instead of polling.
         *
         *     Scope: `resources:read`.
         */
        get: operations["listResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the active shares of the organisation
         * @description Returns a page of the shares that have neither expired nor been revoked, newest first, with the number of viewers at present.
         *
         *     While there are more, the reply has a `nextToken`. A page may hold fewer elements than `limit`, even none, although there are more: go on until a reply has no `nextToken`.
         *
         *     Scope: `share:read`.
         */
        get: operations["listShares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/shares/{shareCode}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a share
         * @description Returns a share. An expired or revoked share is 404, like one that never existed. `metadata` is not returned.
         *
         *     Scope: `share:read`.
         */
        get: operations["getShare"];
        put?: never;
        post?: never;
        /**
         * Revoke a share
         * @description Ends a share at once. When the answer arrives, all viewers are disconnected; with more than 50 places that takes a moment longer. The share’s channel has its last message, `REVOKED`, a moment later. A video address that was issued before plays on for 300 seconds at most.
         *
         *     Scope: `share:manage`.
         */
        delete: operations["revokeShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/shares/{shareCode}/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the resources of a share
         * @description Returns what stands behind a share: its device with the last known state and, for the type `STREAM`, an address of the live video. The list has one element, or none once the device has been removed.
         *
         *     Each call issues a new video address, which lives 300 seconds. For a continuous view follow the telemetry of the device instead of polling.
         *
         *     Scope: `share:read`. Limit: 120 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        get: operations["listShareResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/streams/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the active shares of the organisation
         * @description Returns a page of the shares that have neither expired nor been revoked, newest first, with the number of viewers at present.
         *
         *     While there are more, the reply has a `nextToken`. A page may hold fewer elements than `limit`, even none, although there are more: go on until a reply has no `nextToken`.
         *
         *     Scope: `share:read`.
         *
         *     The same operation as `GET /v3/shares`, under its second path.
         */
        get: operations["listStreamShares"];
        put?: never;
        /**
         * Share a device's live video or status by link
         * @description Creates a link to a public page that shows one device live, until `expiresIn` seconds have passed or the share is revoked. Whoever has the link can watch without a login, so treat `shareCode` and `shareUrl` like a password.
         *
         *     `shareType` `STREAM` shows the video and the status, `DEVICE_STATUS` the status only. The reply has only four fields: read the share for the others. A share can’t be changed: revoke it and create another.
         *
         *     An unknown `resourceId` is 404, another organisation’s 403. A device group can’t be shared, only a device of it: that is 404 too, with the cause in `details`.
         *
         *     Scope: `stream:share`. Limit: 30 calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an `Idempotency-Key`.
         */
        post: operations["createShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/streams/share/{shareCode}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a share
         * @description Returns a share. An expired or revoked share is 404, like one that never existed. `metadata` is not returned.
         *
         *     Scope: `share:read`.
         *
         *     The same operation as `GET /v3/shares/{shareCode}`, under its second path.
         */
        get: operations["getStreamShare"];
        put?: never;
        post?: never;
        /**
         * Revoke a share
         * @description Ends a share at once. When the answer arrives, all viewers are disconnected; with more than 50 places that takes a moment longer. The share’s channel has its last message, `REVOKED`, a moment later. A video address that was issued before plays on for 300 seconds at most.
         *
         *     Scope: `share:manage`.
         *
         *     The same operation as `DELETE /v3/shares/{shareCode}`, under its second path.
         */
        delete: operations["revokeStreamShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description What the drone does at `desiredLocation`: `HOVER` there, `ORBIT` around it, or fly the `MISSION` from there. A location alone means `HOVER`; a location with a `missionId` means `MISSION`.
         * @example MISSION
         * @enum {string}
         */
        ActionOnArrival: "HOVER" | "ORBIT" | "MISSION";
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
        /** @description Bounds of a number in a request, both included. */
        Bounds: {
            /**
             * Format: int32
             * @description The value without the field.
             * @example 10
             */
            default: number;
            /**
             * Format: int32
             * @description The largest value.
             * @example 1000
             */
            maximum: number;
            /**
             * Format: int32
             * @description The smallest value.
             * @example 1
             */
            minimum: number;
        };
        /** @description The camera; other fields are specific to the vendor. */
        Camera: {
            orientation?: components["schemas"]["Orientation"];
        };
        /** @description Reply to “Cancel a job that is PENDING or QUEUED”. */
        CancelJobReply: {
            job: components["schemas"]["CancelledJob"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description A job after it was cancelled. */
        CancelledJob: {
            /**
             * Format: date-time
             * @description When the job was cancelled.
             * @example 2026-11-27T10:31:40.512Z
             */
            cancelledAt: string;
            /**
             * @description Identifier of the job, assigned by the service. Treat it as opaque.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId: string;
            /**
             * @description Always `CANCELLED`.
             * @example CANCELLED
             * @constant
             */
            status: "CANCELLED";
        };
        /** @description A device near the place. */
        Candidate: {
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            /**
             * Format: double
             * @description Metres from the device to the place, on the ellipsoid.
             * @example 412.6
             */
            distance: number;
            /**
             * Format: int32
             * @description When the drone would arrive, in seconds from now. An estimate: 30 seconds, and the distance at `flight.speed` or 10 m/s.
             * @example 64
             */
            etaSeconds: number;
            /**
             * @description Why it was passed over. Known values: `OFFLINE`: It does not report. `FLYING`: It is not on the ground, as far as is known. `BUSY`: An open job names it. `LOW_CHARGE`: Its charge is low, or not known. `TOO_FAR`: It would arrive later than `maxEtaSeconds`. Left out of a device that is free.
             * @example BUSY
             */
            reason?: string;
        };
        /** @description Reply to “Check whether a job could be flown”. */
        CheckJobReply: {
            /** @description The devices that were looked at, nearest first: at most 100. */
            candidates: components["schemas"]["Candidate"][];
            /**
             * Format: double
             * @description The charge that the flight takes, in percent of a full battery, as the drone platform says; more than 100 is more than there is. Left out if it did not tell.
             * @example 138
             */
            charge?: number;
            /**
             * Format: double
             * @description How long the flight takes, in seconds, as the drone platform says. Left out if it did not tell.
             * @example 2485
             */
            durationSeconds?: number;
            /**
             * @description Whether the job could be flown: only when there is no finding.
             * @example false
             */
            feasible: boolean;
            /** @description What speaks against the job. Empty when nothing does. */
            findings: components["schemas"]["Finding"][];
            /**
             * Format: double
             * @description Metres that the drone flies, from its dock and back, as the drone platform says. Left out if it did not tell.
             * @example 23840
             */
            length?: number;
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description A command to a device, with what has become of it. */
        Command: {
            /**
             * @description Identifier of the command, assigned by the service. Treat it as opaque.
             * @example command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n
             */
            commandId: string;
            /**
             * Format: date-time
             * @description When the device began, as the drone platform reported it.
             * @example 2026-11-27T10:30:16.004Z
             */
            deliveredAt?: string;
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
             * Format: date-time
             * @description Without an outcome by then the command is `TIMED_OUT`.
             * @example 2026-11-27T10:35:15.123Z
             */
            endBefore: string;
            /**
             * Format: date-time
             * @description When the command ended.
             * @example 2026-11-27T10:31:02.300Z
             */
            endedAt?: string;
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
             * @description The parameters of the command, as they were sent. Left out if there are none.
             * @example {
             *       "position": {
             *         "type": "Point",
             *         "coordinates": [
             *           8.5417,
             *           47.3769
             *         ]
             *       },
             *       "height": 60
             *     }
             */
            parameters?: unknown;
            /**
             * @description Why it was refused or has failed, if that is known. `NOT_SUPPORTED`: The device or the platform has no such command. `NOT_ALLOWED`: The platform does not allow it now. `DEVICE_OFFLINE`: The device can’t be reached. `DEVICE_BUSY`: The device does something that it can’t leave. `TOO_LATE`: It could not be begun in time. `OUT_OF_ORDER`: A later command had been taken before. `OUT_OF_RANGE`: The place is farther than the device flies. `DEVICE_FAULT`: The device did not work. `SHARE_ENDED`: The share that it came through ended before it was delivered. Others may be added: accept them.
             * @example DEVICE_BUSY
             */
            reason?: string;
            /**
             * Format: date-time
             * @description When the service accepted the command.
             * @example 2026-11-27T10:30:15.123Z
             */
            requestedAt: string;
            /**
             * @description The client id of the client that sent it. Of a viewer a pseudonym, the same for all commands of one connection.
             * @example 6b1o2p3q4r5s6t7u8v9w0x1y2z
             */
            requestedBy?: string;
            /**
             * Format: int64
             * @description Number of the command among those of its device. A later command has a higher one.
             * @example 12
             */
            sequence: number;
            /**
             * @description Of a viewer’s command: the share that it came through, without its code.
             * @example 9f86d081884c7d659a2feaa0c55ad015
             */
            shareId?: string;
            /**
             * Format: date-time
             * @description Until when the drone platform must begin it, at most 10 seconds after `requestedAt`: later it refuses it.
             * @example 2026-11-27T10:30:25.123Z
             */
            startBefore: string;
            status: components["schemas"]["CommandStatus"];
            /**
             * @description Of a command that is `SUPERSEDED`: the one that took its place, if it is known.
             * @example command-7k2m9qx4-01kb1x6a4n6p8q0r2s4t6v8w0x
             */
            supersededBy?: string;
            /**
             * Format: int64
             * @description Grows by one with every change of the command.
             * @example 3
             */
            version: number;
        };
        /** @description A change of the status of a command. */
        CommandEvent: {
            /**
             * @description Identifier of the command, assigned by the service. Treat it as opaque.
             * @example command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n
             */
            commandId: string;
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor: string;
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
            status: components["schemas"]["CommandStatus"];
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
        /** @description A place: a GeoJSON point (RFC 7946) with longitude and latitude in degrees, and optionally the altitude in metres above mean sea level. It must be within the range of the device, if the platform has registered one. */
        CommandPosition: {
            /**
             * @description Longitude (-180 to 180) and latitude (-90 to 90) in degrees, in this order, and optionally the altitude in metres above mean sea level (-500 to 9000).
             * @example [
             *       8.5417,
             *       47.3769
             *     ]
             */
            coordinates: number[];
            /** @description Says what this object is. */
            type: string;
        };
        /**
         * @description `REQUESTED`: accepted, not yet begun. `DELIVERED`: the device has begun. `DONE`: achieved. `REFUSED`: not attempted. `FAILED`: attempted without success. `TIMED_OUT`: there was no outcome in time, and nobody knows whether it was executed. `SUPERSEDED`: a later command took its place.
         * @example DONE
         * @enum {string}
         */
        CommandStatus: "REQUESTED" | "DELIVERED" | "DONE" | "REFUSED" | "FAILED" | "TIMED_OUT" | "SUPERSEDED";
        /** @description Lists with as many elements as a line, or points, have positions. */
        CoordinateProperties: {
            /**
             * @description Charge of the battery in percent at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       81,
             *       81
             *     ]
             */
            batteryPercents: (number | null)[];
            /**
             * @description What the drone did at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       "WAYPOINT",
             *       "WAYPOINT"
             *     ]
             */
            droneStates: (string | null)[];
            /**
             * @description Speed over ground in metres per second at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       12.5,
             *       12.4
             *     ]
             */
            groundSpeeds: (number | null)[];
            /**
             * @description Degrees clockwise from true north at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       270.5,
             *       null
             *     ]
             */
            headings: (number | null)[];
            /**
             * @description Time by the device’s clock at each position, in the order of `coordinates`. ISO 8601 in UTC.
             * @example [
             *       "2026-11-27T10:30:15.123Z",
             *       "2026-11-27T10:30:16.118Z"
             *     ]
             */
            times: string[];
            /**
             * @description Metres per second, positive upwards, at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       -0.5,
             *       null
             *     ]
             */
            verticalSpeeds: (number | null)[];
        };
        /** @description Lists with a list for each line, which has as many elements as the line has positions. */
        CoordinatePropertiesOfLines: {
            /**
             * @description For each line: charge of the battery in percent at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       [
             *         81,
             *         81
             *       ],
             *       [
             *         81,
             *         81
             *       ]
             *     ]
             */
            batteryPercents: (number | null)[][];
            /**
             * @description For each line: what the drone did at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       [
             *         "WAYPOINT",
             *         "WAYPOINT"
             *       ],
             *       [
             *         "WAYPOINT",
             *         "WAYPOINT"
             *       ]
             *     ]
             */
            droneStates: (string | null)[][];
            /**
             * @description For each line: speed over ground in metres per second at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       [
             *         12.5,
             *         12.4
             *       ],
             *       [
             *         12.5,
             *         12.4
             *       ]
             *     ]
             */
            groundSpeeds: (number | null)[][];
            /**
             * @description For each line: degrees clockwise from true north at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       [
             *         270.5,
             *         null
             *       ],
             *       [
             *         270.5,
             *         null
             *       ]
             *     ]
             */
            headings: (number | null)[][];
            /**
             * @description For each line: time by the device’s clock at each position, in the order of `coordinates`. ISO 8601 in UTC.
             * @example [
             *       [
             *         "2026-11-27T10:30:15.123Z",
             *         "2026-11-27T10:30:16.118Z"
             *       ],
             *       [
             *         "2026-11-27T10:30:15.123Z",
             *         "2026-11-27T10:30:16.118Z"
             *       ]
             *     ]
             */
            times: string[][];
            /**
             * @description For each line: metres per second, positive upwards, at each position, in the order of `coordinates`; `null` if it was not known.
             * @example [
             *       [
             *         -0.5,
             *         null
             *       ],
             *       [
             *         -0.5,
             *         null
             *       ]
             *     ]
             */
            verticalSpeeds: (number | null)[][];
        };
        /** @description The main fields of a new job. */
        CreatedJob: {
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-27T10:30:15.123Z
             */
            createdAt: string;
            /**
             * @description Identifier of a device group.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId?: string;
            /**
             * @description Identifier of the job, assigned by the service. Treat it as opaque.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId: string;
            links: components["schemas"]["Links"];
            /**
             * @description Name of the job, for people: 1 to 256 characters.
             * @example Rim inspection
             */
            name: string;
            /**
             * Format: int32
             * @description Priority for the drone platform, 1 (low) to 10 (high).
             * @example 5
             */
            priority: number;
            status: components["schemas"]["JobStatus"];
        };
        /** @description The main fields of a new share. */
        CreatedShare: {
            /**
             * Format: date-time
             * @description When the share ends: viewers are disconnected, and from then on it is answered with 404.
             * @example 2026-11-27T11:30:15.123Z
             */
            expiresAt: string;
            links: components["schemas"]["Links"];
            /**
             * Format: int32
             * @description How many viewers may watch at the same time, 1 to 1000. Further ones are refused until one leaves.
             * @example 10
             */
            maxViewers: number;
            /**
             * @description Identifier of the share, and all that a viewer needs: treat it like a password.
             * @example share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL
             */
            shareCode: string;
            /**
             * Format: uri
             * @description Address of the public page of the share. Whoever has it can watch, without a login.
             * @example https://share.drone-missions.example/share/share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL
             */
            shareUrl: string;
        };
        /** @description Reply to “Create a job”. */
        CreateJobReply: {
            job: components["schemas"]["CreatedJob"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Body of “Create a job”. */
        CreateJobRequest: {
            actionOnArrival?: components["schemas"]["ActionOnArrival"];
            /**
             * @description Free text for people, up to 4096 characters. Left out of replies if it was never set.
             * @example Crown of the dam, both sides
             */
            description?: string;
            desiredLocation?: components["schemas"]["DesiredLocation"];
            /**
             * @description Identifier of a device group, from `GET /v3/resources`.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /**
             * @description Identifier of the device that shall fly it, from `GET /v3/resources`. Without it any device of the group may.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId?: string;
            flight?: components["schemas"]["DesiredFlight"];
            /**
             * @description Any JSON object of yours: at most 16 KiB as JSON in UTF-8, at most 32 levels deep. It is stored and returned unchanged, and the drone platform receives it. PATCH replaces it as a whole.
             * @example {
             *       "site": "north",
             *       "order": 4711
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description The mission to fly. One of this service, `mission-…`, must exist and be your organisation’s, and is flown in the version that it has when the job is created. Any other text is passed on unchecked, for a mission that your operator knows.
             * @example mission-42
             */
            missionId?: string;
            /**
             * @description Name of the job, for people: 1 to 256 characters.
             * @example Rim inspection
             */
            name: string;
            /**
             * Format: int32
             * @description Priority for the drone platform, 1 (low) to 10 (high).
             * @default 5
             * @example 5
             */
            priority?: number;
            /**
             * Format: date-time
             * @description When the drone platform shall fly the job, with an offset or `Z`; replies have it in UTC. Without it the job is flown as soon as possible.
             * @example 2035-01-01T12:00:00.000Z
             */
            scheduledAt?: string;
        };
        /** @description Reply to “Create a mission from a file”. */
        CreateMissionReply: {
            mission: components["schemas"]["Mission"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “Share a device's live video or status by link”. */
        CreateShareReply: {
            share: components["schemas"]["CreatedShare"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Body of “Share a device's live video or status by link”. */
        CreateShareRequest: {
            /**
             * @description With the permission `control`: the names of the commands that viewers may send, at most 50. Without it all but `LAND`.
             * @example [
             *       "PAUSE",
             *       "RESUME",
             *       "RETURN_HOME"
             *     ]
             */
            commands?: string[];
            /**
             * Format: int32
             * @description Lifetime of the share in seconds, 60 to 86400 (a day). It can’t be prolonged: create another share.
             * @default 3600
             * @example 3600
             */
            expiresIn?: number;
            /**
             * Format: int32
             * @description How many viewers may watch at the same time, 1 to 1000. Further ones are refused until one leaves.
             * @default 10
             * @example 10
             */
            maxViewers?: number;
            /**
             * @description Any JSON object of yours: at most 16 KiB as JSON in UTF-8, at most 32 levels deep. It is stored with the share and not returned.
             * @example {
             *       "order": 4711
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description What viewers may do: `view`, and `control` to send commands to the drone. At least one; repetitions are dropped.
             * @default [
             *       "view"
             *     ]
             * @example [
             *       "view"
             *     ]
             */
            permissions?: components["schemas"]["Permission"][];
            /**
             * @description What is shared: a `deviceId` from `GET /v3/resources`, or the id of one of the device’s video streams.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            resourceId: string;
            shareType: components["schemas"]["ShareType"];
        };
        /**
         * @description How the drone shall fly. The drone platform chooses what is left out, and tells it in `plannedFlight`.
         * @example {
         *       "height": 60,
         *       "speed": 12
         *     }
         */
        DesiredFlight: {
            /**
             * Format: double
             * @description Height of the flight in metres above the take-off point, 1 to 500. Not together with an altitude in `desiredLocation`.
             * @example 60
             */
            height?: number;
            /**
             * Format: int32
             * @description How long the drone stays at `desiredLocation`, in seconds, 0 to 3600. For `HOVER` and `ORBIT`.
             * @example 120
             */
            holdSeconds?: number;
            /**
             * Format: double
             * @description Radius of the circle in metres, 1 to 1000. For `ORBIT`.
             * @example 30
             */
            orbitRadius?: number;
            /**
             * Format: double
             * @description Speed over ground in metres per second, 0.5 to 50.
             * @example 12
             */
            speed?: number;
        };
        /** @description Where the drone shall fly. It takes off, flies there in a straight line, and returns to its dock when it has done what `actionOnArrival` says. */
        DesiredLocation: {
            /**
             * @description Longitude (-180 to 180) and latitude (-90 to 90) in degrees, in this order, and optionally the altitude of the flight there in metres above mean sea level (-500 to 9000).
             * @example [
             *       8.5417,
             *       47.3769
             *     ]
             */
            coordinates: number[];
            /**
             * @description Always `Point`.
             * @example Point
             */
            type: string;
        };
        /** @description A drone with its dock. */
        Device: {
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            lastState?: components["schemas"]["ListedState"];
            /**
             * @description Name of the device, for people.
             * @example North 1
             */
            name: string;
            status: components["schemas"]["DeviceStatus"];
        };
        /** @description What a device can do. What is left out is not known. */
        DeviceCapabilities: {
            /**
             * @description The names of the commands that the device obeys: others are refused with 400.
             * @example [
             *       "PAUSE",
             *       "RESUME",
             *       "RETURN_HOME",
             *       "LAND",
             *       "GO_TO"
             *     ]
             */
            commands?: string[];
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            range?: components["schemas"]["DeviceRange"];
        };
        /** @description Who holds the control of a device. Without a holder it has only `deviceId`. */
        DeviceControl: {
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            /**
             * @description The client id of the client that holds the device. Of a viewer a pseudonym, the same as in `requestedBy` of its commands.
             * @example 6b1o2p3q4r5s6t7u8v9w0x1y2z
             */
            heldBy?: string;
            /**
             * @description Who holds it: `partner`, a client of your organisation, or `share`, a viewer.
             * @example partner
             * @enum {string}
             */
            origin?: "partner" | "share";
            /**
             * @description Of a viewer: the share that it holds the device through, without its code.
             * @example 9f86d081884c7d659a2feaa0c55ad015
             */
            shareId?: string;
            /**
             * Format: date-time
             * @description When the control ends unless it is renewed: 60 seconds after it was taken or renewed last. ISO 8601 in UTC.
             * @example 2026-11-27T10:31:15.123Z
             */
            until?: string;
        };
        /** @description A change of a device. */
        DeviceEvent: {
            battery?: components["schemas"]["Battery"];
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor: string;
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
            progress?: components["schemas"]["Progress"];
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
            status: components["schemas"]["DeviceStatus"];
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
        /** @description Devices to which jobs are given together. */
        DeviceGroup: {
            /**
             * @description What the group is, for people.
             * @example Docks in the north
             */
            description: string;
            /**
             * Format: int32
             * @description Number of devices in the group.
             * @example 1
             */
            deviceCount: number;
            /**
             * @description Identifier of a device group.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /** @description The devices of the group, in the order of their registration. */
            devices: components["schemas"]["Device"][];
            links: components["schemas"]["Links"];
            /**
             * @description Name of the group, for people.
             * @example North
             */
            name: string;
        };
        /** @description How far a device flies. */
        DeviceRange: {
            from: components["schemas"]["Location"];
            /**
             * Format: double
             * @description How far the device flies from there, in metres.
             * @example 5000
             */
            metres: number;
        };
        /** @description What is known of a device, of each part what it reported last. */
        DeviceState: {
            battery?: components["schemas"]["Battery"];
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
            jobId?: string;
            measuredBefore?: components["schemas"]["MeasuredBefore"];
            navigation?: components["schemas"]["Navigation"];
            progress?: components["schemas"]["Progress"];
            sensorPayload?: components["schemas"]["SensorPayload"];
            /**
             * @description `true` for a device that exists in a simulation only.
             * @example false
             */
            simulated?: boolean;
            /**
             * Format: date-time
             * @description Time of the report by the device’s clock.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            weather?: components["schemas"]["Weather"];
        };
        /**
         * @description `online` while the device reports telemetry; `offline` after 30 seconds of silence.
         * @example online
         * @enum {string}
         */
        DeviceStatus: "online" | "offline";
        /** @description Reply to “Dispatch the nearest free device to a place”. */
        DispatchJobReply: {
            /** @description The devices that were looked at, nearest first: at most 100. */
            candidates: components["schemas"]["Candidate"][];
            /**
             * Format: double
             * @description Metres from the device to the place, on the ellipsoid.
             * @example 412.6
             */
            distance: number;
            /**
             * Format: int32
             * @description When the drone would arrive, in seconds from now. An estimate: 30 seconds, and the distance at `flight.speed` or 10 m/s.
             * @example 64
             */
            etaSeconds: number;
            job: components["schemas"]["CreatedJob"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Body of “Dispatch the nearest free device to a place”. */
        DispatchJobRequest: {
            actionOnArrival?: components["schemas"]["ActionOnArrival"];
            /**
             * @description Free text for people, up to 4096 characters. Left out of replies if it was never set.
             * @example Crown of the dam, both sides
             */
            description?: string;
            desiredLocation?: components["schemas"]["DesiredLocation"];
            /**
             * @description Only devices of this group. Without it all of your organisation.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId?: string;
            flight?: components["schemas"]["DesiredFlight"];
            /**
             * Format: int32
             * @description Passes over devices that would arrive later: seconds, 1 to 86400.
             * @example 300
             */
            maxEtaSeconds?: number;
            /**
             * @description Any JSON object of yours: at most 16 KiB as JSON in UTF-8, at most 32 levels deep. It is stored and returned unchanged, and the drone platform receives it. PATCH replaces it as a whole.
             * @example {
             *       "site": "north",
             *       "order": 4711
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description The mission to fly. One of this service, `mission-…`, must exist and be your organisation’s, and is flown in the version that it has when the job is created. Any other text is passed on unchecked, for a mission that your operator knows.
             * @example mission-42
             */
            missionId?: string;
            /**
             * @description Name of the job, for people: 1 to 256 characters.
             * @example Rim inspection
             */
            name: string;
            /**
             * Format: int32
             * @description Priority for the drone platform, 1 (low) to 10 (high).
             * @default 5
             * @example 5
             */
            priority?: number;
        };
        /** @description Why a request failed. */
        Error: {
            /** @description What is wrong with each part of the request, at most 20 faults and then their number, or why the request is forbidden. Present with `invalid_request` and `Forbidden`, and with others where there is more to say than `error` does; the texts may get clearer, so don’t rely on them. */
            details?: components["schemas"]["ErrorDetail"][];
            /**
             * @description What went wrong; of the token endpoint the error code of OAuth 2.0 (RFC 6749 section 5.2). The texts are listed with each operation and don’t change within `/v3/`.
             * @example invalid_request
             */
            error: string;
            /**
             * @description Explanation for people, of the token endpoint alone. The wording may change: branch on `error`.
             * @example The client credentials were rejected.
             */
            error_description?: string;
            /**
             * @description Identifies the request; the same as the header `x-request-id`. Name it when you report a problem.
             * @example 0b1f2c9e-5a3d-4c7e-9a54-3f7d1c2b8e60
             */
            requestId?: string;
        };
        /** @description One thing that is wrong with a request. */
        ErrorDetail: {
            /**
             * @description Text for people.
             * @example Job deleted successfully
             */
            message: string;
            /**
             * @description The field that is the cause, as a path such as `metadata.site`, or a parameter, or a header; empty for the whole input.
             * @example priority
             */
            path: string;
        };
        /** @description What has happened, by its `type`. Pass over a type that you don’t know. */
        Event: components["schemas"]["JobEvent"] | components["schemas"]["DeviceEvent"] | components["schemas"]["ShareEvent"] | components["schemas"]["CommandEvent"] | components["schemas"]["UnknownEvent"];
        /** @description What speaks against a job. */
        Finding: {
            /**
             * Format: double
             * @description What the job would need, in the same unit.
             * @example 138
             */
            actual?: number;
            /**
             * @description What is wrong. Known values: `NO_DEVICE`: No device that could fly it is free now. `LOW_BATTERY`: The flight takes more of the charge than it may: percent. `UNREACHABLE`: The drone can’t fly there as the job asks. `UNDECIDED`: The drone platform did not answer in time. Others are codes of your drone platform, with which the job would fail as its `reason`.
             * @example LOW_BATTERY
             */
            code: string;
            /**
             * Format: double
             * @description What is allowed, in the unit of the code.
             * @example 75
             */
            limit?: number;
            /**
             * @description The field of the request, if one is at fault.
             * @example desiredLocation
             */
            path?: string;
            /**
             * Format: int32
             * @description The waypoint of the mission, counted from 0, if one is at fault.
             * @example 3
             */
            waypoint?: number;
        };
        /** @description How a drone flies. */
        FlightSettings: {
            /**
             * Format: double
             * @description Height of the flight in metres above the take-off point, 1 to 500. Not together with an altitude in `desiredLocation`.
             * @example 60
             */
            height?: number;
            /**
             * Format: int32
             * @description How long the drone stays at `desiredLocation`, in seconds, 0 to 3600. For `HOVER` and `ORBIT`.
             * @example 120
             */
            holdSeconds?: number;
            /**
             * Format: double
             * @description Radius of the circle in metres, 1 to 1000. For `ORBIT`.
             * @example 30
             */
            orbitRadius?: number;
            /**
             * Format: double
             * @description Speed over ground in metres per second, 0.5 to 50.
             * @example 12
             */
            speed?: number;
        };
        /** @description GeoJSON (RFC 7946): a `LineString`, a `Feature` with one, or a `FeatureCollection` of one. */
        GeoJsonFile: {
            [key: string]: unknown;
        };
        /** @description A line, several lines, or points. */
        Geometry: components["schemas"]["LineString"] | components["schemas"]["MultiLineString"] | components["schemas"]["MultiPoint"];
        /** @description Reply to “Read what a device can do”. */
        GetCapabilitiesReply: {
            capabilities: components["schemas"]["DeviceCapabilities"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “Read a job”. */
        GetJobReply: {
            job: components["schemas"]["Job"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “Read the limits of the client and what is left of them”. */
        GetLimitsReply: {
            limits: components["schemas"]["Limits"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “Read a share”. */
        GetShareReply: {
            share: components["schemas"]["Share"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Turn the camera. Needs `pitch` or `yaw`. */
        GimbalCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example GIMBAL
             * @constant
             */
            name: "GIMBAL";
            /**
             * Format: double
             * @description Degrees up from the horizon, -90 to 90.
             * @example -30
             */
            pitch?: number;
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
            /**
             * Format: double
             * @description Degrees to the right of the drone’s nose, -180 to 180.
             * @example 90
             */
            yaw?: number;
        };
        /** @description Fly to a place, and hover there until `RESUME`. It ends a pause. */
        GoToCommand: {
            /**
             * Format: double
             * @description Height in metres above the take-off point, 1 to 500. Not together with an altitude in `position`. Without both the drone keeps its height.
             * @example 60
             */
            height?: number;
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example GO_TO
             * @constant
             */
            name: "GO_TO";
            position: components["schemas"]["CommandPosition"];
            /**
             * Format: double
             * @description Speed over ground in metres per second, 0.5 to 50. Without it the drone platform chooses.
             * @example 12
             */
            speed?: number;
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description Reply to “Hold the control of a device”. */
        HoldControlReply: {
            control: components["schemas"]["DeviceControl"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description A job with all its fields. */
        Job: {
            /**
             * @description What the drone does at `desiredLocation`: `HOVER` there, `ORBIT` around it, or fly the `MISSION` from there. A location alone means `HOVER`; a location with a `missionId` means `MISSION`.
             * @example MISSION
             */
            actionOnArrival?: string;
            /**
             * @description Identifier of the command that ended the flight, if one did: `reason` is `ABORTED_BY_COMMAND` then.
             * @example command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n
             */
            commandId?: string;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-27T10:30:15.123Z
             */
            createdAt: string;
            /**
             * @description Free text for people, up to 4096 characters. Left out of replies if it was never set.
             * @example Crown of the dam, both sides
             */
            description?: string;
            desiredLocation?: components["schemas"]["Location"];
            /**
             * @description Identifier of a device group.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId?: string;
            flight?: components["schemas"]["FlightSettings"];
            /**
             * @description Identifier of the job, assigned by the service. Treat it as opaque.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId: string;
            links: components["schemas"]["Links"];
            /**
             * @description Any JSON object of yours: at most 16 KiB as JSON in UTF-8, at most 32 levels deep. It is stored and returned unchanged, and the drone platform receives it. PATCH replaces it as a whole.
             * @example {
             *       "site": "north",
             *       "order": 4711
             *     }
             */
            metadata?: unknown;
            /**
             * @description The mission to fly. One of this service, `mission-…`, must exist and be your organisation’s, and is flown in the version that it has when the job is created. Any other text is passed on unchecked, for a mission that your operator knows.
             * @example mission-42
             */
            missionId?: string;
            /**
             * Format: int32
             * @description The version of the mission that the job flies, if it is a mission of this service: that of the job’s creation.
             * @example 1
             */
            missionVersion?: number;
            /**
             * @description Name of the job, for people: 1 to 256 characters.
             * @example Rim inspection
             */
            name: string;
            plannedFlight?: components["schemas"]["FlightSettings"];
            /**
             * Format: int32
             * @description Priority for the drone platform, 1 (low) to 10 (high).
             * @example 5
             */
            priority: number;
            progress?: components["schemas"]["Progress"];
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
             * Format: date-time
             * @description When the status was reached, as the drone platform reported it; only of a status that it did report. By the clock of the platform, which may be up to 60 seconds off.
             * @example 2026-11-27T10:30:00.000Z
             */
            reportedAt?: string;
            /**
             * Format: date-time
             * @description When the drone platform shall fly the job, with an offset or `Z`; replies have it in UTC. Without it the job is flown as soon as possible.
             * @example 2035-01-01T12:00:00.000Z
             */
            scheduledAt?: string;
            status: components["schemas"]["JobStatus"];
            /**
             * Format: int64
             * @description Grows by one with every change of the job; the number in its `ETag`.
             * @example 1
             */
            version: number;
        };
        /** @description A change of the status of a job. */
        JobEvent: {
            /**
             * @description Identifier of the command that ended the flight, if one did: `reason` is `ABORTED_BY_COMMAND` then.
             * @example command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n
             */
            commandId?: string;
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor: string;
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
            jobState: components["schemas"]["JobStatus"];
            measuredBefore?: components["schemas"]["MeasuredBefore"];
            navigation?: components["schemas"]["Navigation"];
            previousState?: components["schemas"]["JobStatus"];
            progress?: components["schemas"]["Progress"];
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
        /**
         * @description Status of the job. It moves only so: `PENDING` → `QUEUED`, `CANCELLED`, `FAILED`; `QUEUED` → `IN_PROGRESS`, `CANCELLED`, `FAILED`; `IN_PROGRESS` → `COMPLETED`, `FAILED`. The last three are final.
         * @example PENDING
         * @enum {string}
         */
        JobStatus: "PENDING" | "QUEUED" | "IN_PROGRESS" | "COMPLETED" | "FAILED" | "CANCELLED";
        /** @description The main fields of a job. */
        JobSummary: {
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-27T10:30:15.123Z
             */
            createdAt: string;
            /**
             * @description Identifier of a device group.
             * @example group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n
             */
            deviceGroupId: string;
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId?: string;
            /**
             * @description Identifier of the job, assigned by the service. Treat it as opaque.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId: string;
            /**
             * @description Name of the job, for people: 1 to 256 characters.
             * @example Rim inspection
             */
            name: string;
            /**
             * Format: int32
             * @description Priority for the drone platform, 1 (low) to 10 (high).
             * @example 5
             */
            priority: number;
            status: components["schemas"]["JobStatus"];
        };
        /** @description Where a job was flown, in GeoJSON (RFC 7946). */
        JobTrack: {
            /** @description The devices that flew the job, mostly one. A device has a feature with its line, or with its lines if there are gaps of more than ten seconds between its positions; and one more if positions stand alone between two gaps. */
            features: components["schemas"]["TrackFeature"][];
            /**
             * @description Always `FeatureCollection`.
             * @constant
             */
            type: "FeatureCollection";
        };
        /** @description End the flight: land where the drone is. */
        LandCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example LAND
             * @constant
             */
            name: "LAND";
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description What the drone platform said of a command that had ended before. */
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
        /** @description What a client may do, and what is left of it. */
        Limits: {
            connections: components["schemas"]["Quota"];
            /** @description How often the client may call what. An operation that is not in the list has no limit of its own. */
            rates: components["schemas"]["RateLimit"][];
            shares: components["schemas"]["ShareBounds"];
            subscriptions: components["schemas"]["Quota"];
        };
        /** @description A GeoJSON line (RFC 7946). */
        LineString: {
            /**
             * @description Longitude and latitude in degrees, then altitude in metres above mean sea level, for each position, oldest first.
             * @example [
             *       [
             *         8.5417,
             *         47.3769,
             *         485.5
             *       ],
             *       [
             *         8.5418,
             *         47.3769,
             *         485.4
             *       ]
             *     ]
             */
            coordinates: number[][];
            /**
             * @description Always `LineString`.
             * @constant
             */
            type: "LineString";
        };
        /** @description Where to follow the status of a resource. */
        Links: {
            /**
             * @description Its MQTT topic, to subscribe to on the MQTT host that you were given.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a/JOB/STATUS
             */
            mqttTopic: string;
            /**
             * @description Path of its WebSocket channel, to append to the WebSocket address that you were given.
             * @example /v3/jobs/job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a/status/ws
             */
            webSocketPath: string;
        };
        /** @description Reply to “List the commands of a device, newest first”. */
        ListDeviceCommandsReply: {
            /** @description The commands, newest first. */
            commands: components["schemas"]["Command"][];
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /**
             * @description Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page.
             * @example WyJqb2JzIDdrMm05cXg0ICIsImpvYi03azJtOXF4NC0wMWtiMXg1bTl2M2Y4cTJyN3Q2dzR5MHoxYSJd
             */
            nextToken?: string;
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description A share with the number of its viewers. */
        ListedShare: {
            /**
             * @description With the permission `control`: the names of the commands that viewers may send, at most 50. Without it all but `LAND`.
             * @example [
             *       "PAUSE",
             *       "RESUME",
             *       "RETURN_HOME"
             *     ]
             */
            commands?: string[];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-27T10:30:15.123Z
             */
            createdAt: string;
            /**
             * Format: int32
             * @description Viewers that watch the share now. It follows reality within two seconds.
             * @example 2
             */
            currentViewers: number;
            /**
             * Format: date-time
             * @description When the share ends: viewers are disconnected, and from then on it is answered with 404.
             * @example 2026-11-27T11:30:15.123Z
             */
            expiresAt: string;
            links: components["schemas"]["Links"];
            /**
             * Format: int32
             * @description How many viewers may watch at the same time, 1 to 1000. Further ones are refused until one leaves.
             * @example 10
             */
            maxViewers: number;
            /**
             * @description What viewers may do: `view`, and `control` to send commands to the drone. At least one; repetitions are dropped.
             * @example [
             *       "view"
             *     ]
             */
            permissions: components["schemas"]["Permission"][];
            /**
             * @description What is shared: a `deviceId` from `GET /v3/resources`, or the id of one of the device’s video streams.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            resourceId: string;
            /**
             * @description Identifier of the share, and all that a viewer needs: treat it like a password.
             * @example share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL
             */
            shareCode: string;
            shareType: components["schemas"]["ShareType"];
            /**
             * Format: uri
             * @description Address of the public page of the share. Whoever has it can watch, without a login.
             * @example https://share.drone-missions.example/share/share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL
             */
            shareUrl: string;
        };
        /** @description What a device reported last, without data of sensors. It holds only what the device knows. */
        ListedState: {
            battery?: components["schemas"]["Battery"];
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
            jobId?: string;
            measuredBefore?: components["schemas"]["MeasuredBefore"];
            navigation?: components["schemas"]["Navigation"];
            progress?: components["schemas"]["Progress"];
            /**
             * @description `true` for a device that exists in a simulation only.
             * @example false
             */
            simulated?: boolean;
            /**
             * Format: date-time
             * @description Time of the report by the device’s clock.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            weather?: components["schemas"]["Weather"];
        };
        /** @description Reply to “List what has happened, oldest first”. */
        ListEventsReply: {
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /**
             * @description The position up to which this reply has all that the token allows: pass it as `after` of the next call.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor: string;
            /** @description What has happened, oldest first. */
            events: components["schemas"]["Event"][];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “List the commands of a job, newest first”. */
        ListJobCommandsReply: {
            /** @description The commands, newest first. */
            commands: components["schemas"]["Command"][];
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “List the changes of a job, oldest first”. */
        ListJobEventsReply: {
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /** @description The changes of the job’s status, oldest first. */
            events: components["schemas"]["JobEvent"][];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “List jobs, newest first”. */
        ListJobsReply: {
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /** @description The jobs of this page, newest first. */
            jobs: components["schemas"]["JobSummary"][];
            /**
             * @description Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page.
             * @example WyJqb2JzIDdrMm05cXg0ICIsImpvYi03azJtOXF4NC0wMWtiMXg1bTl2M2Y4cTJyN3Q2dzR5MHoxYSJd
             */
            nextToken?: string;
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “List missions, newest first”. */
        ListMissionsReply: {
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /** @description The missions of this page, newest first. */
            missions: components["schemas"]["Mission"][];
            /**
             * @description Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page.
             * @example WyJqb2JzIDdrMm05cXg0ICIsImpvYi03azJtOXF4NC0wMWtiMXg1bTl2M2Y4cTJyN3Q2dzR5MHoxYSJd
             */
            nextToken?: string;
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “List the device groups of the organisation with their devices”. */
        ListResourcesReply: {
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /** @description All device groups, in the order of their creation. */
            resources: components["schemas"]["DeviceGroup"][];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “List the resources of a share”. */
        ListShareResourcesReply: {
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /** @description The device of the share; empty once the device has been removed. */
            resources: components["schemas"]["SharedDevice"][];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Reply to “List the active shares of the organisation”. */
        ListSharesReply: {
            /**
             * Format: int32
             * @description Number of elements in the list of this reply, not in all pages.
             * @example 1
             */
            count: number;
            /**
             * @description Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page.
             * @example WyJqb2JzIDdrMm05cXg0ICIsImpvYi03azJtOXF4NC0wMWtiMXg1bTl2M2Y4cTJyN3Q2dzR5MHoxYSJd
             */
            nextToken?: string;
            /** @description The active shares of this page, newest first. */
            shares: components["schemas"]["ListedShare"][];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description A place: a GeoJSON point (RFC 7946). */
        Location: {
            /**
             * @description Longitude (-180 to 180) and latitude (-90 to 90) in degrees, in this order, and optionally the altitude of the flight there in metres above mean sea level (-500 to 9000).
             * @example [
             *       8.5417,
             *       47.3769
             *     ]
             */
            coordinates: number[];
            /**
             * @description Always `Point`.
             * @example Point
             */
            type: string;
        };
        /** @description Turn the camera to a place. */
        LookAtCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example LOOK_AT
             * @constant
             */
            name: "LOOK_AT";
            position: components["schemas"]["CommandPosition"];
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description How long before the time of a state its parts were measured. */
        MeasuredBefore: {
            [key: string]: number;
        };
        /** @description The operation is done. */
        MessageReply: {
            /**
             * @description Text for people.
             * @example Job deleted successfully
             */
            message: string;
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description A mission without its waypoints. */
        Mission: {
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-27T10:30:15.123Z
             */
            createdAt: string;
            /**
             * @description Format of the file: `GEOJSON` (`application/geo+json`), `KML` (`application/vnd.google-earth.kml+xml`), `WPML` (`application/vnd.google-earth.kmz`), `QGC_PLAN` (`application/json`). Another may be added.
             * @example GEOJSON
             */
            format: string;
            /**
             * @description What the heights are measured from: `TAKE_OFF` (the take-off point), `GROUND` (the ground below), `SEA_LEVEL` (mean sea level), `ELLIPSOID` (the ellipsoid WGS 84), `JOB` (no heights: they come from `flight.height` of the job). Another may be added.
             * @example TAKE_OFF
             */
            heightReference: string;
            /**
             * Format: double
             * @description Length of the line in metres, along the ellipsoid; heights don’t count.
             * @example 125.8
             */
            length: number;
            /**
             * @description Identifier of the mission, assigned by the service. Treat it as opaque.
             * @example mission-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            missionId: string;
            /**
             * @description Name of the mission, for people: the file’s own, or the one given. Left out if there is none.
             * @example Along the fence
             */
            name?: string;
            /**
             * Format: date-time
             * @description When the file was stored.
             * @example 2026-11-27T10:30:15.123Z
             */
            updatedAt: string;
            /**
             * Format: int32
             * @description Grows with every file that replaces the mission.
             * @example 1
             */
            version: number;
            /**
             * Format: int32
             * @description Number of waypoints.
             * @example 2
             */
            waypointCount: number;
        };
        /** @description A mission in GeoJSON (RFC 7946). */
        MissionFeature: {
            geometry: components["schemas"]["MissionGeometry"];
            properties: components["schemas"]["Mission"];
            /**
             * @description Always `Feature`.
             * @constant
             */
            type: "Feature";
        };
        /** @description A GeoJSON line (RFC 7946). */
        MissionGeometry: {
            /**
             * @description Longitude and latitude in degrees, then the height in metres from `heightReference`, of each waypoint in its order. With `JOB` there is no height.
             * @example [
             *       [
             *         8.5417,
             *         47.3769,
             *         40
             *       ],
             *       [
             *         8.5432,
             *         47.3774,
             *         40
             *       ]
             *     ]
             */
            coordinates: number[][];
            /**
             * @description Always `LineString`.
             * @constant
             */
            type: "LineString";
        };
        /** @description GeoJSON lines (RFC 7946): between gaps of more than ten seconds, and on both sides of 180°. */
        MultiLineString: {
            /**
             * @description The positions of each line, oldest first: longitude and latitude in degrees, then altitude in metres above mean sea level.
             * @example [
             *       [
             *         [
             *           8.5417,
             *           47.3769,
             *           485.5
             *         ],
             *         [
             *           8.5418,
             *           47.3769,
             *           485.4
             *         ]
             *       ],
             *       [
             *         [
             *           8.5441,
             *           47.3771,
             *           490.1
             *         ],
             *         [
             *           8.5442,
             *           47.3771,
             *           490.1
             *         ]
             *       ]
             *     ]
             */
            coordinates: number[][][];
            /**
             * @description Always `MultiLineString`.
             * @constant
             */
            type: "MultiLineString";
        };
        /** @description GeoJSON points (RFC 7946): positions of a device between two gaps, which make no line. */
        MultiPoint: {
            /**
             * @description Longitude and latitude in degrees, then altitude in metres above mean sea level, for each position, oldest first.
             * @example [
             *       [
             *         8.5417,
             *         47.3769,
             *         485.5
             *       ]
             *     ]
             */
            coordinates: number[][];
            /**
             * @description Always `MultiPoint`.
             * @constant
             */
            type: "MultiPoint";
        };
        /** @description Where the drone is and how it moves. */
        Navigation: {
            orientation?: components["schemas"]["Orientation"];
            position?: components["schemas"]["Position"];
            velocity?: components["schemas"]["Velocity"];
        };
        /** @description Circle around a place. */
        OrbitCommand: {
            /**
             * Format: double
             * @description Height in metres above the take-off point, 1 to 500. Not together with an altitude in `position`. Without both the drone keeps its height.
             * @example 60
             */
            height?: number;
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example ORBIT
             * @constant
             */
            name: "ORBIT";
            position: components["schemas"]["CommandPosition"];
            /**
             * Format: double
             * @description Radius of the circle in metres, 1 to 1000.
             * @example 30
             */
            radius?: number;
            /**
             * Format: double
             * @description Speed over ground in metres per second, 0.5 to 50. Without it the drone platform chooses.
             * @example 12
             */
            speed?: number;
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description Orientation of a drone or a camera. */
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
        /** @description A command that the drone platform defines, with its parameters. */
        OwnCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description A name that the drone platform defines: `x-`, and up to 62 small letters, digits and hyphens.
             * @example x-spotlight
             */
            name: string;
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Stop, and hover until `RESUME`. */
        PauseCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example PAUSE
             * @constant
             */
            name: "PAUSE";
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /**
         * @description `view`: watch. `control`: also send commands to the drone.
         * @example view
         * @enum {string}
         */
        Permission: "view" | "control";
        /** @description A plan of QGroundControl. */
        PlanFile: {
            [key: string]: unknown;
        };
        /** @description Where the live video can be played. */
        Playback: {
            /**
             * Format: date-time
             * @description When the URL stops working, 300 seconds after it was issued. Request the resources again for a new one.
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
        /** @description A GeoJSON point (RFC 7946). */
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
        /** @description How far a flight has come, as the drone platform or the device says: a completed job has 100 percent only if the platform said so. */
        Progress: {
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
        /** @description What was known at each position: lists like `coordinates`, of a `MultiLineString` a list for each line. */
        PropertiesOfCoordinates: components["schemas"]["CoordinateProperties"] | components["schemas"]["CoordinatePropertiesOfLines"];
        /** @description How many of something a client may have at the same time. */
        Quota: {
            /**
             * Format: int32
             * @description How many the client may have at the same time.
             * @example 50
             */
            limit: number;
            /**
             * Format: int32
             * @description How many more the client may have.
             * @example 47
             */
            remaining: number;
            /**
             * Format: int32
             * @description How many there are now.
             * @example 3
             */
            used: number;
        };
        /** @description How often a client may call an operation. */
        RateLimit: {
            /**
             * Format: int32
             * @description How many calls may come at once before `limit` applies; only where this is allowed.
             * @example 100
             */
            burst?: number;
            /**
             * Format: int32
             * @description Calls in a window.
             * @example 60
             */
            limit: number;
            /**
             * @description What is called: method and path of an endpoint, or `WebSocket handshake` for channels and telemetry together.
             * @example POST /v3/jobs/create
             */
            operation: string;
            /**
             * Format: int32
             * @description Calls that are left in this window. Left out where the service can’t tell.
             * @example 57
             */
            remaining?: number;
            /**
             * Format: date-time
             * @description When the next window begins, with all calls left again. ISO 8601 in UTC.
             * @example 2026-11-27T10:31:00.000Z
             */
            resetAt?: string;
            /**
             * Format: int32
             * @description Length of a window of the clock in seconds.
             * @example 60
             */
            windowSeconds: number;
        };
        /** @description Go on after `PAUSE`, or after `GO_TO`. */
        ResumeCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example RESUME
             * @constant
             */
            name: "RESUME";
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description End the flight: return and land. */
        ReturnHomeCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example RETURN_HOME
             * @constant
             */
            name: "RETURN_HOME";
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description Reply to “Send a command to a device in flight”. */
        SendCommandReply: {
            command: components["schemas"]["Command"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Body of “Send a command to a device in flight”. */
        SendCommandRequest: components["schemas"]["PauseCommand"] | components["schemas"]["ResumeCommand"] | components["schemas"]["ReturnHomeCommand"] | components["schemas"]["LandCommand"] | components["schemas"]["GoToCommand"] | components["schemas"]["OrbitCommand"] | components["schemas"]["LookAtCommand"] | components["schemas"]["GimbalCommand"] | components["schemas"]["TakePhotoCommand"] | components["schemas"]["StartRecordingCommand"] | components["schemas"]["StopRecordingCommand"] | components["schemas"]["OwnCommand"];
        /** @description Data of sensors; fields other than `camera` are specific to the vendor. */
        SensorPayload: {
            camera?: components["schemas"]["Camera"];
        };
        /** @description A share with the address of its page. */
        Share: {
            /**
             * @description With the permission `control`: the names of the commands that viewers may send, at most 50. Without it all but `LAND`.
             * @example [
             *       "PAUSE",
             *       "RESUME",
             *       "RETURN_HOME"
             *     ]
             */
            commands?: string[];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-27T10:30:15.123Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the share ends: viewers are disconnected, and from then on it is answered with 404.
             * @example 2026-11-27T11:30:15.123Z
             */
            expiresAt: string;
            links: components["schemas"]["Links"];
            /**
             * Format: int32
             * @description How many viewers may watch at the same time, 1 to 1000. Further ones are refused until one leaves.
             * @example 10
             */
            maxViewers: number;
            /**
             * @description What viewers may do: `view`, and `control` to send commands to the drone. At least one; repetitions are dropped.
             * @example [
             *       "view"
             *     ]
             */
            permissions: components["schemas"]["Permission"][];
            /**
             * @description What is shared: a `deviceId` from `GET /v3/resources`, or the id of one of the device’s video streams.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            resourceId: string;
            /**
             * @description Identifier of the share, and all that a viewer needs: treat it like a password.
             * @example share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL
             */
            shareCode: string;
            shareType: components["schemas"]["ShareType"];
            /**
             * Format: uri
             * @description Address of the public page of the share. Whoever has it can watch, without a login.
             * @example https://share.drone-missions.example/share/share-7k2m9qx4-01kb1x5q2d8Zt4Gm1cVw9Rk3Hs7PbXeL
             */
            shareUrl: string;
        };
        /** @description Bounds of the fields of a new share. */
        ShareBounds: {
            expiresIn: components["schemas"]["Bounds"];
            maxViewers: components["schemas"]["Bounds"];
        };
        /** @description The device behind a share. */
        SharedDevice: {
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
            lastState?: components["schemas"]["DeviceState"];
            /**
             * @description Name of the device, for people.
             * @example North 1
             */
            name: string;
            /** @description Live video of a share of type `STREAM`: `null` while the device has none, left out for other shares. */
            playback?: components["schemas"]["Playback"] | null;
            status: components["schemas"]["DeviceStatus"];
        };
        /** @description The beginning or the end of a share. */
        ShareEvent: {
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
            cursor: string;
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
        /**
         * @description `STREAM`: live video together with the status. `DEVICE_STATUS`: position and status only.
         * @example STREAM
         * @enum {string}
         */
        ShareType: "STREAM" | "DEVICE_STATUS";
        /** @description Begin to record video. */
        StartRecordingCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example START_RECORDING
             * @constant
             */
            name: "START_RECORDING";
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description End the recording of video. */
        StopRecordingCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example STOP_RECORDING
             * @constant
             */
            name: "STOP_RECORDING";
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description Take a photo. */
        TakePhotoCommand: {
            /**
             * @description The job that the device flies: another device’s is refused. Without it, or when that job has ended, the service fills in the one that the device says it flies.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId?: string;
            /**
             * @description Which command it is.
             * @example TAKE_PHOTO
             * @constant
             */
            name: "TAKE_PHOTO";
            /**
             * Format: int32
             * @description How long the command may take, in seconds, 5 to 600: without an outcome by then it is `TIMED_OUT`. Default: 300 for `GO_TO`, `ORBIT`, `RETURN_HOME` and `LAND`, 30 for others.
             * @example 60
             */
            timeoutSeconds?: number;
        };
        /** @description An access token. */
        Token: {
            /**
             * @description JWT for the header `Authorization: Bearer …` and as password over MQTT. Treat it as opaque.
             * @example eyJraWQiOiJkZW1vIiwiYWxnIjoiUlMyNTYifQ.eyJzY29wZSI6IuKApiJ9.c2lnbmF0dXJl
             */
            access_token: string;
            /**
             * Format: int32
             * @description Seconds that the token is valid, 3600. Renew it before that, by your own clock from the time of the request.
             * @example 3600
             */
            expires_in: number;
            /**
             * @description The scopes that the token carries, separated by spaces: all of the client, whatever `scope` the request has (RFC 6749 section 5.1).
             * @example command:create command:read resources:read
             */
            scope: string;
            /**
             * @description Always `Bearer`.
             * @constant
             */
            token_type: "Bearer";
        };
        /** @description Credentials of a client. Other fields are ignored. */
        TokenRequest: {
            /**
             * @description Client id from your onboarding. Leave it out if HTTP Basic carries it.
             * @example 4q8sexampleclientid2v6k0m1
             */
            client_id?: string;
            /**
             * @description Client secret from your onboarding. Leave it out if HTTP Basic carries it.
             * @example example-secret-from-your-onboarding
             */
            client_secret?: string;
            /**
             * @description Always `client_credentials`.
             * @example client_credentials
             * @enum {string}
             */
            grant_type: "client_credentials";
        };
        /** @description The lines that a device flew, or its positions that stand alone. */
        TrackFeature: {
            geometry: components["schemas"]["Geometry"];
            properties: components["schemas"]["TrackProperties"];
            /**
             * @description Always `Feature`.
             * @constant
             */
            type: "Feature";
        };
        /** @description Whose positions they are, and of which job. */
        TrackProperties: {
            coordinateProperties: components["schemas"]["PropertiesOfCoordinates"];
            /**
             * @description Identifier of a device: a drone with its dock.
             * @example device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p
             */
            deviceId: string;
            /**
             * Format: date-time
             * @description Time of the device’s last position by its clock. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:16.118Z
             */
            endTime: string;
            /**
             * @description Identifier of the job, assigned by the service. Treat it as opaque.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId: string;
            /**
             * @description Name of the job.
             * @example Rim inspection
             */
            name: string;
            /**
             * Format: int32
             * @description How many positions of the device were recorded. Its features have fewer if its track was thinned out, and more where it crossed 180°.
             * @example 2
             */
            recorded: number;
            /**
             * Format: date-time
             * @description Time of the device’s first position by its clock. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.123Z
             */
            startTime: string;
        };
        /** @description What every event has, also one of a type that is added later. */
        UnknownEvent: {
            /**
             * @description Position in the event log of your organisation, from which a client resumes. Opaque, except that cursors sort as text in the order of the log. A change has its own, the last message of a snapshot that of the last change before it. Positions of devices and numbers of viewers have none: they are not in the log.
             * @example event-7k2m9qx4-00000000c5
             */
            cursor: string;
            /**
             * Format: int64
             * @description Version of what has changed.
             * @example 3
             */
            sequence: number;
            /**
             * Format: date-time
             * @description Time of the change. ISO 8601 in UTC.
             * @example 2026-11-27T10:30:15.123Z
             */
            timestamp: string;
            /**
             * @description Says what has happened.
             * @example dock.status
             */
            type: string;
        };
        /** @description A job after a change, with the fields that can change. */
        UpdatedJob: {
            /**
             * @description Free text for people, up to 4096 characters. Left out of replies if it was never set.
             * @example Crown of the dam, both sides
             */
            description?: string;
            /**
             * @description Identifier of the job, assigned by the service. Treat it as opaque.
             * @example job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a
             */
            jobId: string;
            /**
             * @description Name of the job, for people: 1 to 256 characters.
             * @example Rim inspection
             */
            name: string;
            /**
             * Format: int32
             * @description Priority for the drone platform, 1 (low) to 10 (high).
             * @example 5
             */
            priority: number;
            status: components["schemas"]["JobStatus"];
            /**
             * Format: date-time
             * @description When the job was last changed.
             * @example 2026-11-27T10:31:02.480Z
             */
            updatedAt: string;
            /**
             * Format: int64
             * @description Grows by one with every change of the job; the number in its `ETag`.
             * @example 1
             */
            version: number;
        };
        /** @description Reply to “Change a job”. */
        UpdateJobReply: {
            job: components["schemas"]["UpdatedJob"];
            /**
             * @description Always `true`: errors have a status of 400 or more and a body with `error`.
             * @example true
             */
            success: boolean;
        };
        /** @description Body of “Change a job”. */
        UpdateJobRequest: {
            /**
             * @description Free text for people, up to 4096 characters. Left out of replies if it was never set.
             * @example Crown of the dam, both sides
             */
            description?: string;
            /**
             * @description Any JSON object of yours: at most 16 KiB as JSON in UTF-8, at most 32 levels deep. It is stored and returned unchanged, and the drone platform receives it. PATCH replaces it as a whole.
             * @example {
             *       "site": "north",
             *       "order": 4711
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description Name of the job, for people: 1 to 256 characters.
             * @example Rim inspection
             */
            name?: string;
            /**
             * Format: int32
             * @description Priority for the drone platform, 1 (low) to 10 (high).
             * @example 5
             */
            priority?: number;
            status?: components["schemas"]["JobStatus"];
        };
        /** @description Velocity of a drone. */
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
    parameters: {
        /** @description A UUID (RFC 9562) of your choice, new for each creation. Repeat a request with the same key and body, for example after a timeout, and nothing is created twice: for 24 hours you get the first response again. Keys are per client, operation and resource in the path: one key for commands to three devices is three commands. Only successes are kept, so a request that was refused can be corrected and sent with the same key. Another body than that of a success is 400. Bodies are compared after parsing, so order and defaults don’t matter. */
        IdempotencyKey: string;
        /** @description Change the job only if it still has this version: the `ETag` of a read or a change, with its quotes. Otherwise 412. Without the header, or with `*`, any version is changed. */
        IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description With 405: the methods of this path, separated by commas. */
        Allow: string;
        /** @description With 413: identifies the request, in place of `x-request-id`. */
        AmazonRequestId: string;
        /** @description Responses must not be stored by caches. */
        CacheControl: "no-store";
        /** @description With a file as it was sent alone: to be saved, under this name. */
        ContentDisposition: string;
        /** @description With a file as it was sent alone: it is of no other type than `Content-Type` says. */
        ContentTypeOptions: "nosniff";
        /** @description Version of the job in quotes, for `If-Match`. */
        ETag: string;
        /** @description Calls of this operation that your client has per minute. */
        RateLimitLimit: number;
        /** @description Calls that are left in this window. */
        RateLimitRemaining: number;
        /** @description When the next window begins, Unix time in seconds: the next full minute. */
        RateLimitReset: number;
        /** @description Identifies the request. Name it when you report a problem. */
        RequestId: string;
        /** @description Identifies the request. Name it when you report a problem. Missing with 413 alone. */
        RequestIdIfRead: string;
        /** @description With 429: seconds to wait before the next attempt, 1 to 60. Missing when AWS limits the whole service: then wait a second, and double that with each further attempt. */
        RetryAfter: number;
        /** @description The response depends on this header of the request. */
        Vary: "Accept";
        /** @description With 401: the scheme to authenticate with, and `error="invalid_token"` for a token that is not accepted (RFC 6750 section 3.1). Missing when the token expired within the last five minutes. */
        WWWAuthenticate: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description JSON or a form. Unknown fields are ignored. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid. `unsupported_grant_type`: `grant_type` is not `client_credentials`.
             *     - `401`: `invalid_client`: the client id is unknown or the client secret is wrong.
             *     - `403`: The API key is missing, unknown or another client’s, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCapabilities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a device: a drone with its dock. */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetCapabilitiesReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Resource not found`: no device and no video stream has this `resourceId`.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeviceCommands: {
        parameters: {
            query?: {
                /** @description Most elements of the page, 50 without it. There are never more than 100: a higher number counts as 100. */
                limit?: number;
                /** @description Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page. */
                nextToken?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of a device: a drone with its dock. */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDeviceCommandsReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Resource not found`: no device and no video stream has this `resourceId`.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendCommand: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID (RFC 9562) of your choice, new for each creation. Repeat a request with the same key and body, for example after a timeout, and nothing is created twice: for 24 hours you get the first response again. Keys are per client, operation and resource in the path: one key for commands to three devices is three commands. Only successes are kept, so a request that was refused can be corrected and sent with the same key. Another body than that of a success is 400. Bodies are compared after parsing, so order and defaults don’t matter. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Identifier of a device: a drone with its dock. */
                deviceId: string;
            };
            cookie?: never;
        };
        /** @description JSON in UTF-8; unknown fields are refused. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendCommandRequest"];
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendCommandReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Resource not found`: no device and no video stream has this `resourceId`. `Job not found`: the job does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `409`: `cannot_command`: the device can’t be told this now; `details` says why. `held_by`: another client holds the control of the device; `details` says which, and until when.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: Your client has made 1200 calls in this minute: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the command, assigned by the service. Treat it as opaque. */
                commandId: string;
                /** @description Identifier of a device: a drone with its dock. */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendCommandReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Resource not found`: no device and no video stream has this `resourceId`. `Command not found`: the device has no such command.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a device: a drone with its dock. */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldControlReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Resource not found`: no device and no video stream has this `resourceId`.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    holdControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a device: a drone with its dock. */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldControlReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Resource not found`: no device and no video stream has this `resourceId`.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `409`: `held_by`: another client holds the control of the device; `details` says which, and until when.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    releaseControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a device: a drone with its dock. */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Resource not found`: no device and no video stream has this `resourceId`.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `409`: `held_by`: another client holds the control of the device; `details` says which, and until when.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description A `cursor`: events after it. `oldest`: from the beginning of the log. Left out: from now, so the reply is empty and its `cursor` is the one to begin with. */
                after?: string;
                /** @description How many events are read at most, 50 without it. There are never more than 100: a higher number counts as 100. */
                limit?: number;
                /** @description How long the call may wait for an event if there is none yet, in seconds: 0 to 20. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEventsReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `410`: `Cursor expired`: the log no longer reaches back to the cursor.
             *     - `429`: Your client has made 120 calls in this minute: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description Only jobs of this device group. */
                deviceGroupId?: string;
                /** @description Only jobs that name this device. */
                deviceId?: string;
                /** @description Most elements of the page, 50 without it. There are never more than 100: a higher number counts as 100. */
                limit?: number;
                /** @description The `nextToken` of the previous page. Leave it out for the first page; keep the other parameters as they were. */
                nextToken?: string;
                /** @description Only jobs with this status. */
                status?: components["schemas"]["JobStatus"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListJobsReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the job, assigned by the service. Treat it as opaque. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetJobReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Job not found`: the job does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the job, assigned by the service. Treat it as opaque. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Job not found`: the job does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change the job only if it still has this version: the `ETag` of a read or a change, with its quotes. Otherwise 412. Without the header, or with `*`, any version is changed. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description Identifier of the job, assigned by the service. Treat it as opaque. */
                jobId: string;
            };
            cookie?: never;
        };
        /** @description JSON in UTF-8; unknown fields are refused. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateJobRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateJobReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Job not found`: the job does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `412`: `Precondition failed`: the job has another version than `If-Match` requires.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the job, assigned by the service. Treat it as opaque. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelJobReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid. `Cannot cancel job`: the job is neither `PENDING` nor `QUEUED`.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Job not found`: the job does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listJobCommands: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the job, assigned by the service. Treat it as opaque. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListJobCommandsReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Job not found`: the job does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listJobEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the job, assigned by the service. Treat it as opaque. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListJobEventsReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Job not found`: the job does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getJobTrack: {
        parameters: {
            query?: {
                /** @description The format, instead of by `Accept`. */
                format?: "geojson" | "kml" | "csv";
            };
            header?: never;
            path: {
                /** @description Identifier of the job, assigned by the service. Treat it as opaque. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    Vary: components["headers"]["Vary"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/geo+json": components["schemas"]["JobTrack"];
                    "application/json": components["schemas"]["JobTrack"];
                    "application/vnd.google-earth.kml+xml": string;
                    "text/csv": string;
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Job not found`: the job does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `406`: `Not acceptable`: `Accept` allows none of the media types of the reply.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkJob: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description JSON in UTF-8; unknown fields are refused. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJobRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckJobReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Device group not found`: the device group does not exist. `Mission not found`: the mission does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: Your client has made 60 calls in this minute: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID (RFC 9562) of your choice, new for each creation. Repeat a request with the same key and body, for example after a timeout, and nothing is created twice: for 24 hours you get the first response again. Keys are per client, operation and resource in the path: one key for commands to three devices is three commands. Only successes are kept, so a request that was refused can be corrected and sent with the same key. Another body than that of a success is 400. Bodies are compared after parsing, so order and defaults don’t matter. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON in UTF-8; unknown fields are refused. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJobRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateJobReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Device group not found`: the device group does not exist. `Mission not found`: the mission does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: Your client has made 60 calls in this minute: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dispatchJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID (RFC 9562) of your choice, new for each creation. Repeat a request with the same key and body, for example after a timeout, and nothing is created twice: for 24 hours you get the first response again. Keys are per client, operation and resource in the path: one key for commands to three devices is three commands. Only successes are kept, so a request that was refused can be corrected and sent with the same key. Another body than that of a success is 400. Bodies are compared after parsing, so order and defaults don’t matter. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON in UTF-8; unknown fields are refused. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DispatchJobRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DispatchJobReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Device group not found`: the device group does not exist. `Mission not found`: the mission does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `409`: `no_device`: no device is free; `details` has the nearest with their reasons.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: Your client has made 60 calls in this minute: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetLimitsReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMissions: {
        parameters: {
            query?: {
                /** @description Most elements of the page, 50 without it. There are never more than 100: a higher number counts as 100. */
                limit?: number;
                /** @description Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page. */
                nextToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMissionsReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createMission: {
        parameters: {
            query?: {
                /** @description Name of the mission, 1 to 256 characters, instead of that in the file. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The file. */
        requestBody: {
            content: {
                "application/geo+json": components["schemas"]["GeoJsonFile"];
                "application/json": components["schemas"]["PlanFile"];
                "application/vnd.google-earth.kml+xml": string;
                "application/vnd.google-earth.kmz": string;
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateMissionReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: Your client has made 60 calls in this minute, or as many files of your organisation are read as may be at the same time, which `details` then say: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMission: {
        parameters: {
            query?: {
                /** @description The format, instead of by `Accept`; `original` is the file as it was sent. */
                format?: "geojson" | "kml" | "original";
            };
            header?: never;
            path: {
                /** @description Identifier of the mission, assigned by the service. Treat it as opaque. */
                missionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    Vary: components["headers"]["Vary"];
                    "X-Content-Type-Options": components["headers"]["ContentTypeOptions"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/geo+json": components["schemas"]["MissionFeature"];
                    "application/json": components["schemas"]["MissionFeature"];
                    "application/vnd.google-earth.kml+xml": string;
                    "application/vnd.google-earth.kmz": string;
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Mission not found`: the mission does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `406`: `Not acceptable`: `Accept` allows none of the media types of the reply.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceMission: {
        parameters: {
            query?: {
                /** @description Name of the mission, 1 to 256 characters, instead of that in the file. */
                name?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the mission, assigned by the service. Treat it as opaque. */
                missionId: string;
            };
            cookie?: never;
        };
        /** @description The file. */
        requestBody: {
            content: {
                "application/geo+json": components["schemas"]["GeoJsonFile"];
                "application/json": components["schemas"]["PlanFile"];
                "application/vnd.google-earth.kml+xml": string;
                "application/vnd.google-earth.kmz": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateMissionReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Mission not found`: the mission does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: Your client has made 60 calls in this minute, or as many files of your organisation are read as may be at the same time, which `details` then say: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteMission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the mission, assigned by the service. Treat it as opaque. */
                missionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Mission not found`: the mission does not exist, or it was deleted.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listResources: {
        parameters: {
            query?: {
                /** @description `state`: each device has its `lastState`. */
                include?: "state";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListResourcesReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listShares: {
        parameters: {
            query?: {
                /** @description Most elements of the page, 50 without it. There are never more than 100: a higher number counts as 100. */
                limit?: number;
                /** @description Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page. */
                nextToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSharesReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the share, and all that a viewer needs: treat it like a password. */
                shareCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetShareReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Share not found`: the share does not exist, has expired or was revoked.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the share, and all that a viewer needs: treat it like a password. */
                shareCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Share not found`: the share does not exist, has expired or was revoked.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listShareResources: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the share, and all that a viewer needs: treat it like a password. */
                shareCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListShareResourcesReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Share not found`: the share does not exist, has expired or was revoked.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: Your client has made 120 calls in this minute: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listStreamShares: {
        parameters: {
            query?: {
                /** @description Most elements of the page, 50 without it. There are never more than 100: a higher number counts as 100. */
                limit?: number;
                /** @description Present if there are more elements: pass it as the query parameter `nextToken`, with the same filter, to get the next page. Opaque. Left out of the last page. */
                nextToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSharesReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID (RFC 9562) of your choice, new for each creation. Repeat a request with the same key and body, for example after a timeout, and nothing is created twice: for 24 hours you get the first response again. Keys are per client, operation and resource in the path: one key for commands to three devices is three commands. Only successes are kept, so a request that was refused can be corrected and sent with the same key. Another body than that of a success is 400. Bodies are compared after parsing, so order and defaults don’t matter. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON in UTF-8; unknown fields are refused. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateShareRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateShareReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Resource not found`: no device and no video stream has this `resourceId`.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `413`: The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.
             *     - `415`: `Unsupported media type`: the body is in another charset than UTF-8, or a file of another type.
             *     - `429`: Your client has made 30 calls in this minute: wait `Retry-After` seconds. Without `Retry-After`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-amzn-RequestId": components["headers"]["AmazonRequestId"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "x-request-id": components["headers"]["RequestIdIfRead"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getStreamShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the share, and all that a viewer needs: treat it like a password. */
                shareCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetShareReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Share not found`: the share does not exist, has expired or was revoked.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeStreamShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the share, and all that a viewer needs: treat it like a password. */
                shareCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageReply"];
                };
            };
            /**
             * @description An error, by its status:
             *
             *     - `400`: `invalid_request`: a parameter or a part of the body is missing or invalid.
             *     - `401`: The token is missing, invalid or expired. Request a new token.
             *     - `403`: `Forbidden`: the token lacks the scope, another organisation owns the resource, or the client is suspended.
             *     - `404`: `Share not found`: the share does not exist, has expired or was revoked.
             *     - `405`: The path has no such method. `Allow` names those that it has.
             *     - `429`: AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.
             *     - `500`: An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.
             */
            default: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
