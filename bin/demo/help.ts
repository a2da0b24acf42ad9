/** What `npm run demo -- --help` prints. */
export const help = `Shows the whole service in 30 seconds, against the stack that \`npm start\` runs here: an alarm rings at a place, the nearest of
three simulated drones is dispatched, its job is followed over MQTT and a WebSocket, and a viewer watches it by a share link. At the
alarm the drone is commanded to pause, then to return home, and the outcome of each command is printed. When it is back in its dock,
the link is revoked.

npm run demo
npm run demo -- [options]

  --real-time   the drone flies at its own pace, which takes about two minutes
  --help
`;
