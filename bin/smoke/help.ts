/** What `npm run smoke -- --help` prints. */
export const help = `Runs a partner's scenario against a running service and reports each step.

npm run smoke                      against the stack that \`npm start\` runs here
npm run smoke -- [options]         against any other

  --local              the stack that runs here, with its demo partners (the default while one runs)
  --credentials FILE   addresses and clients as printed by \`npm run partner -- onboard … --json\`
  --base-url URL       of the REST API
  --ws-url URL         of the WebSocket channels; none skips the steps that need them
  --mqtt-url URL       of the MQTT channels; none skips them
  --client ID          a client with all scopes (default: the first one in the file); without command:control
                       it tries no commands. Without a file, its secret and key come from CLIENT_SECRET
                       and API_KEY
  --narrow-client ID   a client that lacks a scope, to test refusals (default: the next one in the file, if
                       it has fewer). Without a file: NARROW_CLIENT_SECRET and NARROW_API_KEY
  --ca-file FILE       a certificate authority to trust beside the public ones
  --without PARTS      skips any of mqtt, wss, scopes, limits; comma-separated
  --help

The client's organisation needs a device group with a device. Use one for tests only: a running fleet flies its jobs, and
a telemetry sample is published for a device. Commands and a dispatch are sent only in forms that are refused. Everything
created is deleted at the end. The last step uses up the client's share creations of the minute; --without limits skips it.

Exit code 0: every step passed. 1: a step failed, or there is no stack. 2: invalid command line.
`;
