"""Made dialogues: a question or a statement, and an answer that leaves out the verb. Their words
are docmt's own (CC0), so what is trained on them may be given away.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from docmt_research.completion.teacher import CompletedDocument

_ACTIONS = """\
know him, see the film, lock the door, call your mother, read the letter, find the key, buy the
car, sell the house, love her, trust them, remember me, forget the milk, understand the question,
write the report, send the message, pay the bill, drink the coffee, eat the fish, cook dinner,
wash the dishes, clean the kitchen, open the window, close the shop, leave the city, live in
Lisbon, work on Sundays, sleep well, speak French, learn English, teach children, win the game,
lose the money, break the glass, repair the bike, paint the wall, build this bridge, visit your
aunt, meet the doctor, invite the neighbors, help him, thank her, miss your friends, wait for us,
believe the story, hear the noise, feel the pain, smell the smoke, taste the soup, watch
television, listen to the radio, play the piano, sing at the party, dance with him, swim in the
lake, run every morning, walk home, drive to the sea, travel by train, fly to Brazil, miss the
bus, catch the thief, see the police, kill the spider, save the child, hide the present, show the
picture, take the umbrella, bring the books, carry the box, throw the ball, kick the dog, ride a
horse, feed the cat, cut the bread, burn the letters, drop the plate, pick the flowers, plant the
tree, water the garden, need help, want a drink, like the music, hate the winter, prefer tea,
enjoy the trip, choose the red one, change the plan, accept the offer, refuse the invitation, sign
the contract, ask the teacher, answer the phone, tell the truth, say that, explain the rules,
promise that, agree with me, doubt it, decide that, regret it, deserve it, mean that, hope so,
marry her, fight the champion, attack the village, defend the king, follow the road, join the
army, stop the machine, start the engine, finish the work, begin the course, continue the journey,
come back, go to school, stay here, return tomorrow, arrive on time, fall asleep, wake up early,
cry a lot, laugh about it, smile at her, pray, vote, smoke, drive, dream of it, die there, grow
tomatoes, earn enough, spend everything, save money, cost much, steal the ring, use the computer,
press the button, turn the wheel, check the list, count the coins, measure the room"""

_PEOPLE = {
    "you": ("I", "we"),
    "he": ("he",),
    "she": ("she",),
    "they": ("they",),
    "your brother": ("he",),
    "your sister": ("she",),
    "the children": ("they",),
    "Maria": ("she",),
    "Peter": ("he",),
    "I": ("you",),
    "we": ("you", "we"),
}
"""Subjects, and the pronouns of an answer about them."""

_SINGULAR = frozenset(("he", "she", "your brother", "your sister", "Maria", "Peter"))

_QUESTIONS = (
    "{Aux} {subject} {action}?",
    "{Aux} {subject} really {action}?",
    "Why {naux} {subject} {action}?",
    "So, {aux} {subject} {action}?",
    "{Subject} {naux} {action}.",
    "I think {subject} {naux} {action}.",
    "Listen, {aux} {subject} {action} or not?",
)
_ANSWERS = (
    "Yes, {pronoun} {aux}.",
    "No, {pronoun} {naux}.",
    "{Pronoun} {aux}.",
    "{Pronoun} {naux}.",
    "Of course {pronoun} {aux}.",
    "Of course {pronoun} {aux}!",
    "I hope {pronoun} {aux}.",
    "Maybe {pronoun} {aux}, maybe not.",
    "But {pronoun} {aux}!",
    "Well, {pronoun} {naux}, and that is the problem.",
    "{Aux} {pronoun}?",
    "Oh, {aux} {pronoun}?",
    "Yes. {Pronoun} {aux}.",
    "Not yet, but {pronoun} {aux}.",
)
_BETWEEN = (
    "Well?",
    "Tell me.",
    "Wait a minute.",
    "What a question!",
    "Look at me.",
    "Hm.",
    "Good morning, Peter.",
    "It is cold today.",
    "The train is late again.",
    "I am tired.",
    "Where is the newspaper?",
)
_AUXILIARIES = {
    "do": "don't",
    "does": "doesn't",
    "did": "didn't",
    "will": "won't",
    "would": "wouldn't",
}


def made_dialogues(number: int, seed: int = 1) -> Iterator[CompletedDocument]:
    """Different dialogues of two to four lines, in random order; the last line leaves out the verb,
    and is completed.

    >>> (one,) = made_dialogues(1)
    >>> one.completed == one.source[-1]
    False
    """
    draw = random.Random(seed)
    actions = [" ".join(each.split()) for each in _ACTIONS.split(",")]
    seen: set[tuple[str, ...]] = set()
    while len(seen) < number:
        lines, completed = _dialogue(draw, draw.choice(actions))
        if lines not in seen:
            seen.add(lines)
            yield CompletedDocument(f"dialogue-{len(seen)}", lines, completed)


def _dialogue(draw: random.Random, action: str) -> tuple[tuple[str, ...], str]:
    """The lines of a dialogue, and the last one completed."""
    subject = draw.choice(list(_PEOPLE))
    pronoun = draw.choice(_PEOPLE[subject])
    tense = draw.choice(["do", "did", "did", "will", "would"])

    def written(template: str, who: str) -> str:
        aux = "does" if tense == "do" and who in _SINGULAR else tense
        words = {"aux": aux, "naux": _AUXILIARIES[aux], "subject": who, "pronoun": who}
        capitals = {
            key.capitalize(): f"{value[0].upper()}{value[1:]}" for key, value in words.items()
        }
        return template.format(**words, **capitals, action=action)

    question = written(draw.choice(_QUESTIONS), subject)
    template = draw.choice(_ANSWERS)
    answer = written(template, pronoun)
    verb = action.split()[0]
    marks = ("{naux}", "{aux}") if "{naux}" in template else ("{aux}",)
    marked = template.replace(marks[0], f"{marks[0]} {verb}")
    if template.endswith("{pronoun}?"):
        marked = template.replace("{pronoun}?", f"{{pronoun}} {verb}?")
    between = draw.sample(_BETWEEN, draw.choice([0, 0, 0, 1, 1, 2]))
    before = draw.sample(_BETWEEN, draw.choice([0, 0, 1]))
    where = draw.random() < 0.5
    lines = (*(before if where else ()), question, *between, answer)
    return lines, written(marked, pronoun)
