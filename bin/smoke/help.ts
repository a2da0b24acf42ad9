/** What `npm run smoke -- --help` prints. */
export const help = `Tells the story of a partner against a running service, and whether each step of it holds.

npm run smoke                      the stack that \`npm start\` runs here
npm run smoke -- [options]         any other

  --local              the stack that runs here, with its demo partners (the default while one runs)
  --credentials FILE   addresses and clients, as \`npm run partner -- onboard … --json\` prints them
  --base-url URL       of the REST API
  --ws-url URL         of the WebSocket channels; none leaves out what needs them
  --mqtt-url URL       of the MQTT channels; none leaves them out
  --client ID          the client whose story it is, with all scopes (default: the first of the file).
                       Without a file, its secret and key are taken from CLIENT_SECRET and API_KEY
  --narrow-client ID   a client without some scope, to see it refused (default: the next one of the file, if
                       it holds less). Without a file: NARROW_CLIENT_SECRET and NARROW_API_KEY
  --ca-file FILE       a certificate authority to trust beside the public ones
  --without PARTS      of mqtt, wss, scopes, limits; with commas between
  --help

The organisation of the client needs a device group with a device, and should be one for tests alone: a fleet that is
there flies its jobs, and a sample of telemetry is published for a device. Everything made is deleted in the end. The
last step uses up the minute's share creations of the client; --without limits spares them.

Exit code 0: every step held. 1: one did not, or there is no stack. 2: the command line makes no sense.
`;
