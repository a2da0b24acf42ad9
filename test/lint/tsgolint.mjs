#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { buffer, json } from 'node:stream/consumers';

/**
 * oxlint starts this as its tsgolint. It adds a rule that tsgolint has and this version of oxlint can't name, and gives the
 * reports the name of a rule that oxlint knows, padded, since each message is preceded by its length.
 * Set the rule in oxlint.config.mjs as soon as oxlint names it, and delete this file.
 */
const ADDED = 'no-unsafe-class-instance-assignment';
const REPORTED_AS = 'no-unsafe-assignment';

const input = await json(process.stdin);
for (const { rules } of input.configs) rules.push({ name: ADDED });
const executable = createRequire(import.meta.url).resolve('oxlint-tsgolint/bin/tsgolint.js');
const tsgolint = spawn(process.execPath, [executable, ...process.argv.slice(2)], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
tsgolint.stdin.end(JSON.stringify(input));
const [output, [code]] = await Promise.all([buffer(tsgolint.stdout), once(tsgolint, 'close')]);
const added = `"rule":"${ADDED}"`;
const reported = `"rule":"${REPORTED_AS}"`.padEnd(added.length);
process.stdout.write(output.toString('latin1').replaceAll(added, reported), 'latin1');
process.exitCode = code ?? 1;
