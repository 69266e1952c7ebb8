import type { Contract } from '../read/contract.ts'
import type { JsonObject } from '../read/json.ts'
import { checkCalls } from './calls.ts'
import { checkForms } from './form.ts'
import { checkModels } from './models.ts'
import { objectsOf } from './objects.ts'
import { checkPagination } from './pagination.ts'
import { checkStatuses } from './statuses.ts'
import { checkValues } from './values.ts'

/**
 * Reports problems with the `x-` words (extension keywords) in a contract: words that are misspelled, aren't well
 * formed, have no effect at their place, or contradict the rest of the contract.
 *
 * @param beside The AsyncAPI document, if any, that may refer to the components of `contract`.
 */
export function checkWords(contract: Contract, beside?: JsonObject): void {
  const objects = checkForms(objectsOf(contract.root))
  const references = referencesIn([contract.root.raw, beside ?? {}])
  checkCalls(objects, references)
  checkPagination(objects)
  checkStatuses(objects)
  checkValues(objects, references)
  const [document] = objects
  if (document) checkModels(document.node)
}

/** The JSON pointers in all references of the documents, including references to other files. */
function referencesIn(documents: readonly JsonObject[]): ReadonlySet<string> {
  const found = JSON.stringify(documents).matchAll(/"\$ref":"[^"#]*(#[^"]*)"/g)
  return new Set([...found].map(([, pointer = '']) => pointer))
}
