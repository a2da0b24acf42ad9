import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { runCommand } from '../../outsiders/processes';
import { withAttempts } from '../../outsiders/install';
import { expectFiles, expectJobs, root, version, type Trial } from './trial';

/** Stands for the address where the repository is published, which go.mod has to name by then. */
const REPOSITORY = 'github.com/owner/repository';
const MODULE = `${REPOSITORY}/clients/go`;

const LIST_JOBS = `package main

import (
	"context"
	"fmt"
	"log"

	dronemission "${MODULE}"
)

func main() {
	client, err := dronemission.FromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	page, err := client.Jobs.Page(context.Background(), dronemission.JobFilter{Limit: 20})
	if err != nil {
		log.Fatal(err)
	}
	for _, job := range page.Jobs {
		fmt.Println(job.JobId, job.Name)
	}
}
`;

const goEnvironment = z.object({ GOMODCACHE: z.string(), GOPROXY: z.string() });
const listedModule = z.object({ Version: z.string(), Dir: z.string() });

/**
 * Publishes the module by a tag, in a repository of its own, and builds a program with it.
 * @throws Error that says what is wrong
 */
export async function tryGoModule(trial: Trial): Promise<void> {
  const repository = join(trial.folder, 'repository');
  const partner = join(trial.folder, 'partner');
  await publish(repository);

  const { stdout: known } = await runCommand('go', ['env', '-json', 'GOMODCACHE', 'GOPROXY']);
  const { GOMODCACHE, GOPROXY } = goEnvironment.parse(JSON.parse(known));
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${repository}.insteadOf`,
    GIT_CONFIG_VALUE_0: `https://${REPOSITORY}`,
    GONOPROXY: REPOSITORY,
    // Nothing of an earlier run; what the module needs comes from this machine's cache if it has it.
    GOMODCACHE: join(trial.folder, 'modules'),
    GOPROXY: `file://${GOMODCACHE}/cache/download,${GOPROXY}`,
    GOFLAGS: '-modcacherw',
    // The client's go.sum has the sums of what it needs, and "Go client" checks them.
    GOSUMDB: 'off',
  };
  const go = (...args: string[]) => runCommand('go', args, { cwd: partner, env });
  mkdirSync(partner);
  await go('mod', 'init', 'example.com/partner');
  await withAttempts('downloading modules', () => go('get', `${MODULE}@latest`));
  const module = listedModule.parse(JSON.parse((await go('list', '-m', '-json', MODULE)).stdout));
  assert.equal(module.Version, `v${version}`);
  // Go takes the licence of the repository, and all files of the folder, so tests too.
  const expected = /^(LICENSE|README\.md|go\.mod|go\.sum|\w+(\.gen)?\.go)$/;
  expectFiles('the Go module', readdirSync(module.Dir, { recursive: true }).map(String), expected, [
    'LICENSE',
    'README.md',
  ]);

  writeFileSync(join(partner, 'main.go'), LIST_JOBS);
  await go('build', '-o', 'program', '.');
  await expectJobs(join(partner, 'program'), [], trial);
}

/** Makes a repository with the client and its licence, and the tag by which Go finds the version. */
async function publish(repository: string): Promise<void> {
  const folder = join(repository, 'clients/go');
  cpSync(join(root, 'clients/go'), folder, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(repository, 'LICENSE'));
  await runCommand('go', ['mod', 'edit', '-module', MODULE], { cwd: folder });
  const git = (...args: string[]) => runCommand('git', args, { cwd: repository });
  await git('init', '--quiet');
  await git('add', '.');
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  await git(...author, 'commit', '--quiet', '--message', 'Add a client for Go');
  await git('tag', `clients/go/v${version}`);
}
