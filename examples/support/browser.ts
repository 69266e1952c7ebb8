import { request } from 'node:http'

/**
 * Does what a person at a browser does on the emulator's sign-in page, so that nobody has to sit there: opens the page,
 * fills in its form, and follows it back to the program. Gives the heading of the page that the program shows in the end.
 */
export async function signInAsPerson(
  address: string,
  person: { readonly email: string; readonly password: string },
): Promise<string> {
  const page = await fetch(address)
  const form = new URLSearchParams({ email: person.email, password: person.password })
  const answer = await fetch(page.url, { method: 'POST', body: form, redirect: 'manual' })
  const callback = answer.headers.get('location')
  if (callback === null) throw new Error(`The sign-in page answered ${answer.status} and did not lead back.`)
  return navigate(callback)
}

/** Loads a page as a navigation, which `fetch` cannot: programs tell by these headers that it is no script's call. */
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
