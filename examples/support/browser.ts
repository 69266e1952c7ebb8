import { request } from 'node:http'

/**
 * Acts as a person at a browser on the emulator's sign-in page: opens the page, submits its form, and follows the redirect
 * to the program. Returns the heading of the final page.
 */
export async function signInAsPerson(
  address: string,
  person: { readonly email: string; readonly password: string },
): Promise<string> {
  const page = await fetch(address)
  const form = new URLSearchParams({ email: person.email, password: person.password })
  const answer = await fetch(page.url, { method: 'POST', body: form, redirect: 'manual' })
  const callback = answer.headers.get('location')
  if (callback === null) throw new Error(`The sign-in page answered ${answer.status} and did not redirect.`)
  return navigate(callback)
}

/** Loads a page as a navigation, which `fetch` can't: these headers show that the request isn't from a script. */
function navigate(address: string): Promise<string> {
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  return new Promise((resolve, reject) => {
    request(address, { headers, agent: false }, (answer) => {
      let html = ''
      answer.setEncoding('utf8').on('data', (part: string) => (html += part))
      answer.on('end', () => resolve(/<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? `status ${answer.statusCode}`))
    })
      .on('error', reject)
      .end()
  })
}
