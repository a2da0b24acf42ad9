import { readFileSync, mkdtempSync } from 'node:fs';
import { connect } from 'mqtt';
import { IoTDataPlaneClient, PublishCommand } from '@aws-sdk/client-iot-data-plane';
import { createIot } from './local/iot';
import { serverCertificate } from './local/certificate-authority';
import { createAwsEndpoint } from './local/aws-endpoint';
const answer = { isAuthenticated: true, principalId: 'p', policyDocuments: [JSON.stringify({Version:'2012-10-17',Statement:[{Effect:'Allow',Action:'iot:Connect',Resource:'*'},{Effect:'Allow',Action:['iot:Subscribe','iot:Receive'],Resource:['arn:aws:iot:r:a:topicfilter/job-aaaaaaaa-*/JOB/STATUS','arn:aws:iot:r:a:topic/job-aaaaaaaa-*/JOB/STATUS']}]})], disconnectAfterInSeconds: 3600, refreshAfterInSeconds: 300 };
async function main() {
  const folder = mkdtempSync('/tmp/perf-');
  const certificate = await serverCertificate(folder);
  const iot = createIot({ region: 'r', accountId: 'a', port: 0, certificate, dataFolder: folder, log: (l) => console.log(l), lambda: { permits: () => true, invoke: async () => answer } });
  const r = (type: string, properties: any) => iot.create({ type, logicalId: 'X', properties, metadata: {} });
  r('AWS::IoT::Authorizer', { AuthorizerFunctionArn: 'f', SigningDisabled: true, Status: 'ACTIVE' });
  r('AWS::IoT::DomainConfiguration', { AuthorizerConfig: { DefaultAuthorizerName: 'X' } });
  await iot.start!();
  const endpoint = createAwsEndpoint(); endpoint.add(iot); await endpoint.start();
  const sdk = new IoTDataPlaneClient({ endpoint: endpoint.url, region: 'r', credentials: endpoint.admin });
  const N = 100;
  const clients = await Promise.all(Array.from({ length: N }, (_, i) => new Promise<any>((res) => { const c = connect(iot.url!, { ca: readFileSync(certificate.caFile), username: 'u', clientId: 'c' + i, protocolVersion: 4 }); c.once('connect', () => res(c)); })));
  for (const c of clients) await c.subscribeAsync('job-aaaaaaaa-1/JOB/STATUS', { qos: 1 });
  const lat: number[] = []; let sentAt = 0; let got = 0; let all: () => void = () => {};
  for (const c of clients) c.on('message', () => { lat.push(performance.now() - sentAt); if (++got === N) all(); });
  for (let i = 0; i < 200; i++) { got = 0; const done = new Promise<void>((res) => (all = res)); sentAt = performance.now(); await sdk.send(new PublishCommand({ topic: 'job-aaaaaaaa-1/JOB/STATUS', qos: 1, retain: true, payload: Buffer.alloc(600, 'x') })); await done; }
  lat.sort((a, b) => a - b);
  console.log(`${N} subscribers: median ${lat[lat.length >> 1]!.toFixed(1)} ms p95 ${lat[Math.floor(lat.length * 0.95)]!.toFixed(1)} ms; rss ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`);
  const t = performance.now(); for (let i = 0; i < 2000; i++) await sdk.send(new PublishCommand({ topic: 'job-aaaaaaaa-' + (i % 500 + 10) + '/JOB/STATUS', qos: 1, retain: true, payload: Buffer.alloc(600, 'x') }));
  console.log(`publish without subscribers: ${((performance.now() - t) / 2000).toFixed(2)} ms`);
  for (const c of clients) c.end(true);
  await iot.stop!(); await endpoint.stop(); sdk.destroy();
}
main();
