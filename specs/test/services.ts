import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Parser } from '@asyncapi/parser'
import { inject } from 'vitest'

import { fileOf, objectOf, type JsonObject } from './document.ts'

/** The folders that hold a contract. */
export const services = readdirSync(fileOf('.')).filter((name) => existsSync(fileOf(`${name}/openapi.yaml`)))

/** The services that a test of every contract is about: the one of the task `test:service`, otherwise all of them. */
export const testedServices = services.filter((name) => name === (inject('service') ?? name))

/** Those of them that also have an AsyncAPI document. */
export const testedWithEvents = testedServices.filter((name) => existsSync(fileOf(`${name}/asyncapi.yaml`)))

/** The services that also have an AsyncAPI document. */
export const servicesWithEvents = services.filter((name) => existsSync(fileOf(`${name}/asyncapi.yaml`)))

/**
 * An AsyncAPI document as its own parser reads it: every reference resolved, and the parser's complaints.
 *
 * @param name the file, from which references start
 * @param text the document; by default what the file holds
 */
export async function parseAsyncApi(
  name: string,
  text: string = readFileSync(fileOf(name), 'utf8'),
): Promise<{ document: JsonObject; complaints: string[] }> {
  const { document, diagnostics } = await new Parser().parse(text, { source: fileOf(name) })
  return {
    document: objectOf(document?.json()),
    // Severity 0 is an error, 1 a warning; 2 and 3 are advice, such as that there is a newer AsyncAPI.
    complaints: diagnostics
      .filter(({ severity }) => severity <= 1)
      .map(({ code, path, message }) => `${String(code)} at ${path.join('/')}: ${message}`),
  }
}
