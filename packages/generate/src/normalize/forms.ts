import type { Contract } from '../read/contract.ts'
import type { Found } from '../read/documents.ts'
import { type Json, COMBINATIONS, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { isBytes } from './schema.ts'

/** The places of branches of components. They are forms if the component is a form. */
const isCombined = /^#\/components\/schemas\/[^/]+\/(?:allOf|anyOf|oneOf)\//

/**
 * Finds the pointers of the components that describe multipart forms. Only in these, a string of bytes means bytes to
 * send, so such a component can't be used elsewhere too.
 */
export function findForms(contract: Contract): ReadonlySet<string> {
  const forms = new Set<string>()
  const others: { form: Found; pointer: string }[] = []
  const visit = (value: Json, pointer: string, isForm: boolean): void => {
    if (isList(value)) value.forEach((item, index) => visit(item, childPointer(pointer, index), isForm))
    if (!isObject(value)) return
    const form = typeof value['$ref'] === 'string' ? contract.target(value) : undefined
    if (form && isForm) {
      const isNew = !forms.has(form.pointer)
      forms.add(form.pointer)
      // A form may combine other schemas.
      if (isNew && isObject(form.raw))
        for (const key of COMBINATIONS) visit(form.raw[key] ?? null, childPointer(form.pointer, key), true)
    } else if (form && !isCombined.test(pointer)) others.push({ form, pointer })
    for (const [key, child] of Object.entries(value)) {
      if (key === 'examples' || key === 'example' || key.startsWith('x-')) continue
      const isPart = isForm && (COMBINATIONS as readonly string[]).includes(key)
      const isBody = key === 'schema' && /\/multipart~1[^/]*$/.test(pointer)
      visit(child, childPointer(pointer, key), isPart || isBody)
    }
  }
  visit(contract.root, '#', false)
  for (const { form, pointer } of others) {
    const { raw } = form
    const properties = isObject(raw) && isObject(raw['properties']) ? Object.values(raw['properties']) : []
    if (!forms.has(form.pointer) || !properties.some(isBytes)) continue
    contract.widen(
      pointer,
      `\`${form.pointer.slice(form.pointer.lastIndexOf('/') + 1)}\` is a form with bytes in it; it cannot be used outside of multipart/form-data too`,
    )
  }
  return forms
}
