import { executablePath, missingChromium as missing } from '@concord/contract-kit/chromium'
import { createEmulator } from '@concord/emulator'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, expect, it, onTestFinished } from 'vitest'

import { StorageAuth } from '../src/index.ts'
import { WHO_AM_I } from './support.ts'

let browser: Promise<Browser> | undefined
const launch = (): Promise<Browser> =>
  (browser ??= chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] }))
afterAll(async () => (await browser)?.close())

const noBrowser = executablePath === undefined

/** Serves an emulator, and starts a sign-in that a page of a real browser can complete. */
async function begin() {
  const emulator = await createEmulator()
  const addresses = await emulator.serve({ services: ['storageAuth'] })
  const { authUrl, dataUrl, webUrl, email, password } = addresses.storageAuth
  const storage = new StorageAuth({ authUrl, dataUrl, webUrl })
  const context = await (await launch()).newContext()
  onTestFinished(async () => {
    await context.close()
    await storage.close()
    await addresses.close()
    await emulator.close()
  })
  const { promise: pageUrl, resolve: onAddress } = Promise.withResolvers<string>()
  const signingIn = storage.signInWithBrowser({ onAddress, openBrowser: false })
  const page = await context.newPage()
  await page.goto(await pageUrl)
  const logIn = async (given = password) => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(given)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  return { emulator, page, context, email, pageUrl, signingIn, logIn }
}

it.skipIf(noBrowser)(
  `R-45: a person signs in on the service's page in a real browser, and sees that it worked${missing}`,
  async () => {
    const { page, email, signingIn, logIn } = await begin()
    await logIn('not the password')
    await page.getByRole('alert').waitFor()
    await logIn()
    await page.getByRole('heading', { name: `You are signed in as ${email}` }).waitFor()
    expect(new URL(page.url()).hostname).toBe('localhost')
    const session = await signingIn
    expect(session.user?.email).toBe(email)
    expect((await session.fetch(WHO_AM_I)).status).toBe(200)
    // The port is closed.
    const closed = await fetch(new URL('/', page.url())).catch(() => 'closed')
    expect(closed).toBe('closed')
  },
  120_000,
)

it.skipIf(noBrowser)(
  `R-45: scripts, images and frames of a page in a real browser deliver no code, and a forged navigation does not end the sign-in${missing}`,
  async () => {
    const { emulator, page, context, email, pageUrl, signingIn, logIn } = await begin()
    const { control } = emulator.storageAuth
    const port = new URL(await pageUrl).searchParams.get('port')
    const callback = (code: string) => `http://localhost:${port}/callback?token=${code}`

    // A page of another site, in the same browser, with valid codes.
    const codes = Array.from({ length: 5 }, () => control.issueCode('ola@mail.example'))
    const evil = await context.newPage()
    await context.route('http://evil.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>evil</title><body></body>' }),
    )
    await evil.goto('http://evil.example/')
    const statuses: number[] = []
    evil.on('response', (response) => {
      if (response.url().includes('/callback')) statuses.push(response.status())
    })
    await evil.evaluate(async (urls) => {
      const [first = '', second = '', third = '', fourth = '', fifth = ''] = urls
      await fetch(first).catch(() => undefined)
      await fetch(second, { mode: 'no-cors' }).catch(() => undefined)
      await fetch(third, { method: 'POST', mode: 'no-cors' }).catch(() => undefined)
      const load = (name: 'img' | 'iframe', url: string) =>
        new Promise<void>((resolve) => {
          const element = document.createElement(name)
          element.addEventListener('load', () => resolve())
          element.addEventListener('error', () => resolve())
          element.src = url
          document.body.append(element)
        })
      await load('img', fourth)
      await load('iframe', fifth)
    }, codes.map(callback))
    expect(control.counters().exchanges.granted).toBe(0)

    // A navigation with a forged code: it is tried and rejected, and the sign-in continues.
    await evil.goto(callback('forged'))
    await evil.getByRole('heading', { name: 'The sign-in did not work' }).waitFor()
    expect(control.counters().exchanges).toMatchObject({ granted: 0, unknown: 1 })

    await logIn()
    await page.getByRole('heading', { name: /You are signed in/ }).waitFor()
    expect((await signingIn).user?.email).toBe(email)
    expect(control.counters().exchanges).toMatchObject({ granted: 1, unknown: 1 })
  },
  120_000,
)
