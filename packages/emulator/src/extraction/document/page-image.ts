import type { ReadPage } from '../model.ts'
import { encodeGreyPng } from './png.ts'

const LARGEST_SIDE = 1_200

/**
 * Draws a page as a PNG of one pixel for each unit: white, with a gray bar in place of each piece of text. Very
 * large pages are drawn smaller.
 */
export function drawPage(page: ReadPage): Uint8Array<ArrayBuffer> {
  const scale = Math.min(1, LARGEST_SIDE / Math.max(page.width, page.height, 1))
  const width = Math.max(1, Math.round(page.width * scale))
  const height = Math.max(1, Math.round(page.height * scale))
  const grey = new Uint8Array(width * height).fill(255)
  for (const box of page.boxes) {
    const left = clamp(Math.round(box.x * scale), width)
    const right = clamp(Math.round((box.x + box.width) * scale), width)
    const top = clamp(Math.round(box.y * scale), height)
    const bottom = clamp(Math.round((box.y + box.height) * scale), height)
    for (let row = top; row < bottom; row++) grey.fill(96, row * width + left, row * width + right)
  }
  return encodeGreyPng(width, height, grey)
}

function clamp(value: number, limit: number): number {
  return Math.min(Math.max(value, 0), limit)
}
