import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SynthesisedStack } from '../assemblies';
import { leftOut, type LeftOut } from './differing';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Template {
  readonly Resources: Record<
    string,
    { Type: string; Properties?: Record<string, Json>; DependsOn?: string | string[] }
  >;
  readonly Outputs?: Record<string, { Value: Json }>;
}

/** How many resources are deployed, and how many are not for each reason. */
export interface Trimmed {
  readonly kept: number;
  readonly leftOut: ReadonlyMap<LeftOut, number>;
}

/**
 * Copies a synthesised app without what the emulator can't create, and without the properties and outputs that refer to it.
 * @param folder of the copy
 */
export function trimmedCopy({ folder: from, templateFile }: SynthesisedStack, folder: string): Trimmed {
  // Other apps lie in folders below it.
  const own = /^(asset\.|[^/]*\.json$|cdk\.out$)/;
  cpSync(from, folder, { recursive: true, filter: (path) => path === from || own.test(path.slice(from.length + 1)) });
  const file = join(folder, basename(templateFile));
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  const without = trim(template);
  writeFileSync(file, JSON.stringify(template));
  return { kept: Object.keys(template.Resources).length, leftOut: without };
}

function trim({ Resources, Outputs = {} }: Template): Map<LeftOut, number> {
  const named = (one: LeftOut) =>
    Object.entries(Resources)
      .filter(([, { Type, Properties = {} }]) => one.type === Type && (!one.having || one.having in Properties))
      .map(([logicalId]) => logicalId);
  const found = leftOut.map((one) => [one, named(one)] as const);
  const gone = new Set(found.flatMap(([, logicalIds]) => logicalIds));
  for (const logicalId of gone) Reflect.deleteProperty(Resources, logicalId);
  for (const resource of Object.values(Resources)) {
    if (resource.Properties) forget(resource.Properties, gone);
    if (resource.DependsOn) resource.DependsOn = [resource.DependsOn].flat().filter((name) => !gone.has(name));
  }
  for (const [name, { Value }] of Object.entries(Outputs)) if (isOf(Value, gone)) Reflect.deleteProperty(Outputs, name);
  return new Map(found.map(([one, logicalIds]) => [one, logicalIds.length]));
}

/** Removes what is nothing but a reference to something that is gone; within a text there stands a name instead. */
function forget(value: Json, gone: ReadonlySet<string>, isText = false): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const kept = isText
      ? value.map((one) => (isOf(one, gone) ? 'left-out' : one))
      : value.filter((one) => !isOf(one, gone));
    value.splice(0, value.length, ...kept);
    for (const one of value) forget(one, gone, isText);
  } else {
    for (const [key, one] of Object.entries(value)) {
      if (isOf(one, gone)) Reflect.deleteProperty(value, key);
      else forget(one, gone, key === 'Fn::Join');
    }
  }
}

/** Whether a value is `Ref` or `Fn::GetAtt` of something that is gone. */
function isOf(value: Json, gone: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { Ref, 'Fn::GetAtt': attribute } = value;
  const name = Ref ?? (Array.isArray(attribute) ? attribute[0] : undefined);
  return typeof name === 'string' && gone.has(name);
}
