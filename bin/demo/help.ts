/** What `npm run demo -- --help` prints. */
export const help = `Shows the whole service in 20 seconds, against the stack that \`npm start\` runs here: signs in, creates a job, follows it over
MQTT and a WebSocket while a simulated drone flies it, shares the drone by a link, cancels a second job, and revokes the link.

npm run demo
npm run demo -- [options]

  --real-time   the drone flies at its own pace, which takes over a minute
  --help
`;
