"""Samples of reStructuredText."""

SAMPLES = {
    "guide.rst": """\
:orphan:
:Author: Jane Doe

.. _start:

================
 The *pump* guide
================

A paragraph about the |product| with ``code`` and **bold** words,
wrapped. [1]_ See `the site <https://example.org>`_. The `other page`_
is new. See :ref:`the start <start>` or :func:`run`. Another sentence::

    literal block

Starting
--------

* One item
  goes on

  with :guilabel:`Save` in another paragraph
* Another item

  - nested item

1. Step one
#. Step two

term
  its definition
other term : classifier
  ``x``: a definition

.. note:: A note that
   goes on. python_ is here.

.. code-block:: sh
   :caption: The command

   make all # not this

.. figure:: pump.png
   :alt: A red pump

   The caption of *it*

.. versionadded:: 3.2
   The pump is new.

.. py:function:: run(pump)

   Runs the pump.

   :param pump: the pump
   :rtype: None

.. list-table:: A title
   :header-rows: 1

   * - Name
     - What it is
   * - left
     - right side

+------+------+
| kept | too  |
+------+------+

=====  =====
kept   too
=====  =====

| A line of verse,
| and another
  that goes on

-v, --verbose  more words

>>> run()
5

.. |product| replace:: the *Pump* 3000
.. image:: a.png
   :alt: Alternative text
.. A comment
   of two lines
.. _other page: https://example.org/b
.. [1] A note with two sentences. The other.
.. glossary::

   pump
      A thing that pumps.

.. drawing:: x

   a -> b

Starting
""",
    "dos.rst": "\ufeffOne line.\r\nAnother *line*.\r\n\r\nEnd\r\n===\r\n",
    "plain.rest": "API\n===\n\nOne \\*star\\* and C\\++.\n",
}

HOSTILE = {
    "open.rst": "One *two **three `four ``five |six [7\n\n.. note::\n\n",
    "marks.rst": "*a " * 800 + "`b" * 800 + "**c " * 800 + "|d" * 800,
    "deep.rst": "\n".join(" " * n + "- a\n" for n in range(0, 400, 2)),
    "dots.rst": ".. " * 3000 + "\n" + ".. note:: " * 1000,
    "items.rst": "- " * 2000 + "a\n",
    "lines.rst": "=\n" * 3000,
    "empty.rst": "",
    "mark.rst": "One \ufdd1 two",
}


def long_file(paragraphs: int) -> tuple[str, str]:
    """A file of so many paragraphs."""
    return "long.rst", "One *two* three. Four `five <x>`_.\n\n" * paragraphs
