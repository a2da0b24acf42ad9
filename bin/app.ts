import { App } from 'aws-cdk-lib/core';
import { endpoints } from '../contract/endpoints';
import { DroneMissionApiStack } from '../lib/drone-mission-api-stack';

const app = new App();
new DroneMissionApiStack(app, 'DroneMissionApi', { endpoints });
app.synth();
