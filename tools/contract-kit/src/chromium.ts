import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser for tests that need a real one: from `CONCORD_CHROMIUM`, or where Linux has it. */
export const executablePath = process.env['CONCORD_CHROMIUM'] || PLACES.find((place) => existsSync(place))

/** Added to the name of a test that is skipped without a browser; empty if there is a browser. */
export const missingChromium =
  executablePath === undefined
    ? ` [no Chromium at ${PLACES.join(', ')}: install one, or name it in CONCORD_CHROMIUM]`
    : ''
