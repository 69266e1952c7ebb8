import type { Contract, ContractNode } from '../read/contract.ts'
import type { Found } from '../read/documents.ts'
import { COMBINATIONS, asObject } from '../read/json.ts'
import { isBytes } from './schema.ts'

/** Matches pointers into a component's `allOf`, `anyOf` or `oneOf`. Schemas that a form combines are forms too. */
const isCombined = /^#\/components\/schemas\/[^/]+\/(?:allOf|anyOf|oneOf)\//

/**
 * Finds the pointers of the components that describe multipart forms. A string property can mean bytes only if its
 * object is a form, so a form with bytes can't also be used outside of a multipart body.
 */
export function findForms(contract: Contract): ReadonlySet<string> {
  const forms = new Set<string>()
  const others: { readonly form: Found; readonly node: ContractNode }[] = []
  const visit = (node: ContractNode, isForm: boolean): void => {
    for (const item of node.items()) visit(item, isForm)
    const form = contract.target(node.raw)
    if (form && isForm) {
      const isNew = !forms.has(form.pointer)
      forms.add(form.pointer)
      if (isNew) for (const key of COMBINATIONS) visit(contract.nodeOf(form).at(key), true)
    } else if (form && !isCombined.test(node.pointer)) others.push({ form, node })
    for (const [key, child] of node.members()) {
      if (key === 'examples' || key === 'example' || key.startsWith('x-')) continue
      const isPart = isForm && (COMBINATIONS as readonly string[]).includes(key)
      const isBody = key === 'schema' && /\/multipart~1[^/]*$/.test(node.pointer)
      visit(child, isPart || isBody)
    }
  }
  visit(contract.root, false)
  for (const { form, node } of others) {
    const properties = Object.values(asObject(asObject(form.raw)['properties']))
    if (!forms.has(form.pointer) || !properties.some(isBytes)) continue
    node.widen(
      `\`${form.pointer.slice(form.pointer.lastIndexOf('/') + 1)}\` is a form with bytes, so it can't also be used outside of multipart/form-data`,
    )
  }
  return forms
}
