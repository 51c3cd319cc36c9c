// Where the sentences of an answer are in a text. No part of the page is touched here.

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// The place of each sentence, one after the other, or null for one that is not there as it is: white space may differ.
export function placesOf(sentences, text) {
  let from = 0;
  return sentences.map((sentence) => {
    const trimmed = sentence.trim();
    if (!trimmed) return null;
    let start = text.indexOf(trimmed, from);
    let end = start + trimmed.length;
    if (start < 0) {
      const spaced = new RegExp(trimmed.split(/\s+/).map(escaped).join("\\s+"), "gu");
      spaced.lastIndex = from;
      const found = spaced.exec(text);
      if (!found) return null;
      [start, end] = [found.index, found.index + found[0].length];
    }
    from = end;
    return { start, end };
  });
}

// A text cut into what stands between sentences (strings) and the sentences (their indexes).
export function cut(text, places) {
  const parts = [];
  let from = 0;
  places.forEach((place, index) => {
    if (!place) return;
    if (place.start > from) parts.push(text.slice(from, place.start));
    parts.push(index);
    from = place.end;
  });
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

// The index of the sentence at an offset, or -1.
export const indexAt = (places, offset) => places.findIndex((place) => place && place.start <= offset && offset <= place.end);
