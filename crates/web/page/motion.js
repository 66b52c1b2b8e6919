// What moves and sounds when a move is made.

import { pieceAt } from "./board.js";

export const sound = { on: false };

const isStill = matchMedia("(prefers-reduced-motion: reduce)");

/** Lets the piece of the last move fall, or appear. */
function fall(cell) {
  const { piece, falls } = pieceAt(cell);
  if (!piece || isStill.matches) return;
  const begin = falls ? { transform: `translateY(-${falls * 122}%)` } : { transform: "scale(0.7)", opacity: 0.3 };
  const duration = falls ? 110 + 45 * falls : 140;
  piece.animate([begin, { transform: "none", opacity: 1 }], { duration, easing: falls ? "cubic-bezier(.45,0,.9,.7)" : "ease-out" });
}

let audio = null;

/** A short knock. */
function knock() {
  audio ??= new AudioContext();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.setValueAtTime(320, audio.currentTime);
  tone.frequency.exponentialRampToValueAtTime(120, audio.currentTime + 0.08);
  volume.gain.setValueAtTime(0.25, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.1);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.1);
}

let shown = { game: "", ply: 0 };

/** Follows the position: what comes one move after the one before moves. */
export function follow({ line, ply, view }) {
  const key = JSON.stringify([line.game, line.rules, line.start]);
  const isNext = shown.game === key && ply === shown.ply + 1;
  shown = { game: key, ply };
  const last = view.played.at(-1);
  if (!isNext || last?.to === null || last === undefined) return;
  fall(last.to);
  if (sound.on) knock();
}
