import { flagsHelp } from 'cloud-assembly-runner';

/** What `npm start -- --help` prints. */
export const help = `Synthesises the app and runs the whole service on this machine until Ctrl-C, with demo partners and a simulated fleet.

npm start
npm start -- [options]

${flagsHelp}
  --no-fleet            no simulated fleet: report the status of jobs yourself
  --fleet-speed FACTOR  how many times faster than a real drone the fleet flies (default: 1)
  --fleet-rest SECONDS  between two status reports of a drone at rest (default: 10)
  --help

Environment: LOCAL_DIR (default: .local), PORT (3000), WS_PORT (3001), IDENTITY_PORT (3443), MQTT_PORT (8883), AWS_PORT (as at the last start).
.local/stack.json has the addresses and the demo partners' credentials while it runs.
`;
